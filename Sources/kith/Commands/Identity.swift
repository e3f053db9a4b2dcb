import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let identity: Command = Command(
    "identity", "Look at what ties providers' ids to users", verbs: [.identityList])

  private static let identityList: Command = Command(
    "list", "List the identities of one user", positionals: [.user]
  ) { context throws(CommandFailure) in
    let user = try await UserReference(in: context).id(for: context)
    let page = UserPageParameters(userID: user, page: Page(limit: Page.limitMax))
    try await context.show(IdentityList.self, page) { found in
      guard !found.items.isEmpty else { return ["the user has no identity"] }
      let table = Table(
        [
          Table.Column("ID"), Table.Column("PROVIDER", widthMin: 8), Table.Column("SUBJECT", widthMin: 12),
          Table.Column("E-MAIL", widthMin: 12), Table.Column("BY"),
        ],
        rows: found.items.map { identity in
          [
            identity.id.description, "\(identity.provider):\(identity.tenant)", identity.subject.string,
            identity.email?.string ?? "", identity.linkedBy.rawValue,
          ]
        })
      return context.lines(of: table)
    }
  }
}
