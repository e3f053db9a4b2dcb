import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let userSearch: Command = Command(
    "search", "Find users by what is known of them",
    details: """
      QUERY is the beginning of an id, an e-mail address, a domain, a provider's id,
      or words of a name.
      """,
    positionals: [PositionalDeclaration("QUERY", "What to look for")], options: [.status, .limit, .after]
  ) { context throws(CommandFailure) in
    let page = Page(limit: try context.limit(), after: context.text(of: .after))
    let parameters = UserSearch.Parameters(
      query: ExactText(context.arguments.positionals.first ?? ""),
      status: context.arguments.value(of: .status).flatMap { UserStatus(rawValue: $0) }, page: page,
      include: [.profile, .emails])
    try await context.show(UserSearch.self, parameters) { found in
      guard !found.items.isEmpty else { return ["nobody was found"] }
      let more = found.next.map { context.lines("", "There are more: narrow the search, or add", "--after \($0)") }
      return context.lines(of: table(of: found.items)) + (more ?? [])
    }
  }

  private static func table(of users: [UserShape]) -> Table {
    Table(
      [
        Table.Column("ID"), Table.Column("STATUS"), Table.Column("NAME", widthMin: 8),
        Table.Column("E-MAIL", widthMin: 12),
      ],
      rows: users.map { user in
        [user.id.description, user.status.rawValue, user.profile?.displayedName ?? "", user.displayedAddress]
      })
  }
}

extension OptionDeclaration {
  fileprivate static let status = OptionDeclaration(
    "status", .choice("STATUS", UserStatus.allCases.map(\.rawValue)), "Only users of this status")
}
