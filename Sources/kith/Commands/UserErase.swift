import API
import Accounts
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let userErase: Command = Command(
    "erase", "Forget a person; it cannot be undone",
    details: """
      Shows who it is, asks, and forgets them: profile, addresses, identities and
      credentials go, also under the ids of those who were merged into them. Whoever
      signs in later with such an identity is a new user. The reason is kept for ever:
      name nobody in it.
      """,
    positionals: [.user], options: [.tenant, .reason]
  ) { context throws(CommandFailure) in
    let reason = try context.reason()
    let id = try await UserReference(in: context).id(for: context)
    let found = try await context.withClient(userNamed: context.nameOfUser) { client throws(ClientError) in
      try await client.call(UserGet.self, UserGet.Parameters(.id(id), include: Include.allCases))
    }
    if !context.wantsJSON {
      let picture = UserPicture(found, merges: try await context.merges(into: id))
      context.console.writeOutput(lines: picture.lines(in: context) + [""])
    }
    try context.confirmation.ask("Erase user \(id) for good?")
    let parameters = ReasonedUserParameters(id: id, reason: reason.text)
    try await context.show(UserErase.self, parameters) { erased in
      ["\(erased.user.id) is erased"] + erased.formerIDs.map { "\($0) is erased with it" }
        + ["gone: \(found.user.countsInWords), profile, credentials and their history"]
    }
  }
}

extension UserShape {
  /// What a user has, counted.
  fileprivate var countsInWords: String {
    func words(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    let identities = words(identities?.count ?? 0, "identity", "identities")
    return "\(identities), \(words(emails?.count ?? 0, "address", "addresses"))"
  }
}
