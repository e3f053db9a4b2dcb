import Terminal

extension Command where Context == CommandContext {
  static let credential: Command = Command(
    "credential", "Look at what apps keep sealed, and delete it", details: "No command shows a secret.",
    verbs: [.credentialList, .credentialHistory, .credentialDelete])
}
