import Terminal

extension Command where Context == CommandContext {
  static let identity: Command = Command(
    "identity", "Look at, link and unlink what ties providers' ids to users",
    verbs: [.identityList, .identityLink, .identityUnlink])
}
