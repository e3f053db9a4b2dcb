import Terminal

extension Command where Context == CommandContext {
  static let identity: Command = Command(
    "identity", "Look at what ties providers' ids to users", verbs: [.identityList])
}
