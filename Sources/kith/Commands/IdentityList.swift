import API
import Terminal

extension Command where Context == CommandContext {
  static let identityList: Command = Command(
    "list", "List the identities of one user", positionals: [.user], options: [.tenant]
  ) { context throws(CommandFailure) in
    let user = try await UserReference(in: context).id(for: context)
    let page = UserPageParameters(userID: user, page: Page(limit: Page.limitMax))
    try await context.show(IdentityList.self, page) { found in
      guard !found.items.isEmpty else { return ["the user has no identity"] }
      let table = Table(identities: found.items) { identity in
        [(["id \(identity.id)"] + (identity.email.map { [$0.string] } ?? [])).joined(separator: ", ")]
      }
      return context.lines(of: table) + (found.next == nil ? [] : ["", "There are more than \(Page.limitMax)."])
    }
  }
}
