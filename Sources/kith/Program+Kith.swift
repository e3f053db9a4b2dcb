import Terminal

extension Program where Context == CommandContext {
  /// Every command of `kith`.
  static let kith: Program = Program(
    Command(
      "kith", "Which of our users is this? The command line of the kith daemon.",
      verbs: [.status, .doctor, .user, .identity, .migrate, .completion]),
    options: [.socket, .json, .yes, .config, .database, .noColour])
}
