import Terminal

extension Command where Context == CommandContext {
  static let user: Command = Command(
    "user", "Look at users, and keep them from signing in",
    verbs: [.userShow, .userSearch, .userDisable, .userEnable])
}

extension PositionalDeclaration {
  static let user = PositionalDeclaration(
    "USER", "An id, the beginning of one, an e-mail address, or provider:subject")
}
