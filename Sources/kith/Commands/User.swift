import Terminal

extension Command where Context == CommandContext {
  static let user: Command = Command(
    "user", "Look at users, keep them from signing in, and forget them",
    verbs: [.userShow, .userSearch, .userDisable, .userEnable, .userExport, .userErase])
}

extension PositionalDeclaration {
  static let user = PositionalDeclaration(
    "USER", "An id, the beginning of one, an e-mail address, or provider:subject")
}

extension OptionDeclaration {
  /// Not a part of USER: a subject may hold colons itself.
  static let tenant = OptionDeclaration(
    "tenant", .text("TENANT"), "The tenant of provider:subject, where there are several")
}
