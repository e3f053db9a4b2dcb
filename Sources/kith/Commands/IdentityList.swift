import API
import Terminal

extension Command where Context == CommandContext {
  static let identityList: Command = Command(
    "list", "List the identities of one user", positionals: [.user]
  ) { context throws(CommandFailure) in
    let user = try await UserReference(in: context).id(for: context)
    let page = UserPageParameters(userID: user, page: Page(limit: Page.limitMax))
    try await context.show(IdentityList.self, page) { found in
      guard !found.items.isEmpty else { return ["the user has no identity"] }
      return context.lines(of: table(of: found.items, context))
        + (found.next == nil ? [] : ["", "There are more than \(Page.limitMax)."])
    }
  }

  /// Beside an id, which is copied and so stays whole, a narrow terminal has room for little.
  private static let widthForAll = 120

  private static func table(of identities: [IdentityShape], _ context: CommandContext) -> Table {
    let hasRoom = context.console.outputWidth.map { $0 >= widthForAll } ?? true
    let more = hasRoom ? [Table.Column("E-MAIL", widthMin: 12), Table.Column("LAST SIGN-IN")] : []
    return Table(
      [
        Table.Column("ID"), Table.Column("PROVIDER", widthMin: 8), Table.Column("SUBJECT", widthMin: 12),
        Table.Column("BY"),
      ] + more,
      rows: identities.map { identity in
        [
          identity.id.description, "\(identity.provider):\(identity.tenant)", identity.subject.string,
          identity.linkedBy.rawValue, identity.email?.string ?? "",
          identity.lastSignInAt.map(DisplayedTime.minutes) ?? "",
        ]
      })
  }
}
