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
      name nobody in it. Of somebody who is erased already it says so, and asks
      nothing.
      """,
    positionals: [.user], options: [.tenant, .reason]
  ) { context throws(CommandFailure) in
    let reference = try UserReference(in: context)
    let selector = try await reference.selector(for: context)
    guard let found = try await reference.find(selector, for: context, include: Include.allCases) else {
      // Only an id leads to somebody who is erased, and erasing them again changes nothing.
      guard case .id(let erased) = selector else { throw CommandFailure(.notFound, "the user was erased") }
      let parameters = ReasonedUserParameters(id: erased, reason: context.text(of: .reason) ?? "")
      try await context.show(UserErase.self, parameters) { erased in
        ["\(erased.user.id) was erased already"] + erased.formerIDs.map { "\($0) was erased with it" }
      }
      return
    }
    let id = found.user.id
    context.tellIfMerged(found)
    if !context.wantsJSON {
      let picture = UserPicture(found, merges: try await context.merges(into: id))
      context.console.writeOutput(lines: picture.lines(in: context) + [""])
    }
    try context.confirmation.ask("Erase user \(id) for good?")
    let parameters = ReasonedUserParameters(id: id, reason: context.text(of: .reason) ?? "")
    try await context.show(UserErase.self, parameters) { erased in
      ["\(erased.user.id) is erased"] + erased.formerIDs.map { "\($0) is erased with it" }
        + ["gone: \(found.user.countsInWords), profile, credentials and their history"]
    }
  }
}

extension UserShape {
  /// What a user has, counted.
  fileprivate var countsInWords: String {
    let identities = (identities?.count ?? 0).counted("identity", "identities")
    return "\(identities), \((emails?.count ?? 0).counted("address", "addresses"))"
  }
}
