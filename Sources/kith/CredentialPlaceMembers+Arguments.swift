import API
import Accounts
import Terminal

extension CredentialPlaceMembers {
  /// How a command is told which credential is meant.
  static let positionals = [
    PositionalDeclaration("GROUP", "The access group"), PositionalDeclaration("ACCOUNT", "The account"),
    PositionalDeclaration("SERVICE", "The service"),
  ]

  /// The one that a command with ``positionals`` was told.
  init(in context: CommandContext) {
    let names = context.arguments.positionals.map { ExactText($0) }
    self.init(accessGroup: names[0], account: names[1], service: names[2])
  }
}
