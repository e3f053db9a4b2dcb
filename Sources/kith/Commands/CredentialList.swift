import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let credentialList: Command = Command(
    "list", "List credentials without their secrets",
    details: "Shows those of the access groups that you may see, in the order of their names.",
    options: [.accessGroup, .account, .service, .ofUser, .tenant, .limit, .after]
  ) { context throws(CommandFailure) in
    let parameters = CredentialList.Parameters(
      accessGroup: context.text(of: .accessGroup), account: context.text(of: .account),
      service: context.text(of: .service), userID: try await context.user(),
      page: Page(limit: try context.limit(), after: context.text(of: .after)))
    try await context.show(CredentialList.self, parameters) { found in
      guard !found.items.isEmpty else { return ["no credential was found"] }
      let more = found.next.map { context.lines("", "There are more: narrow the list, or add", "--after \($0)") }
      return context.lines(of: table(of: found.items)) + (more ?? [])
    }
  }

  /// The three names are what identifies and is copied, so they have the row to themselves.
  private static func table(of credentials: [CredentialShape]) -> Table {
    Table(
      [
        Table.Column("GROUP", widthMin: 5), Table.Column("ACCOUNT", widthMin: 12), Table.Column("SERVICE", widthMin: 8),
      ],
      rows: credentials.map { [$0.place.accessGroup.string, $0.place.account.string, $0.place.service.string] },
      notes: credentials.map(notes))
  }

  private static func notes(of credential: CredentialShape) -> [String] {
    let content = credential.content
    let times = [
      "version \(credential.version)", "updated \(DisplayedTime.minutes(credential.updatedAt))",
      content.expiresAt.map { "until \(DisplayedTime.minutes($0))" },
    ]
    let label = content.label.map { ["\"\($0)\""] } ?? []
    return label + [times.compactMap(\.self).joined(separator: ", ")] + (content.userID.map { ["of user \($0)"] } ?? [])
  }
}

extension OptionDeclaration {
  fileprivate static let accessGroup = OptionDeclaration("group", .text("GROUP"), "Only those of this access group")
  fileprivate static let account = OptionDeclaration("account", .text("ACCOUNT"), "Only those of this account")
  fileprivate static let service = OptionDeclaration("service", .text("SERVICE"), "Only those for this service")
}
