import API
import Accounts
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let identityUnlink: Command = Command(
    "unlink", "Take an identity off its user",
    details: """
      Whoever has it no longer signs in as this user, nor by an address again; kith
      identity link brings it back. The last way by which the user can sign in cannot
      be taken off.
      """,
    positionals: [.user, PositionalDeclaration("IDENTITY", "The identity's id, or provider:subject")],
    options: [.tenant, .optionalReason]
  ) { context throws(CommandFailure) in
    let name = context.arguments.positionals[0]
    let user = try await UserReference(name).id(for: context, named: name)
    let identity = try await context.identity(context.arguments.positionals[1])
    guard identity.userID == user else {
      throw CommandFailure(
        .notFound, "\(identity.displayedName) is no identity of user \(user)",
        hint: "kith identity list shows those that are")
    }
    try context.confirmation.ask("Take \(identity.displayedName) off user \(user)?")
    let parameters = IdentityUnlink.Parameters(
      userID: user, identityID: identity.id, reason: context.text(of: .optionalReason))
    try await context.show(IdentityUnlink.self, parameters) { _ in
      var sheet = Sheet()
      sheet.add("unlinked", identity.displayedName)
      sheet.add("from user", user.description)
      return context.lines(of: sheet)
    }
  }
}

extension CommandContext {
  /// The identity that a person names by its id, or by provider and subject.
  fileprivate func identity(_ text: String) async throws(CommandFailure) -> IdentityShape {
    let selector: IdentityGet.Selector
    if let id = IdentityID(text) { selector = .id(id) } else { selector = .identity(try identitySelector(text)) }
    do throws(CommandFailure) {
      return try await withClient { client throws(ClientError) in
        try await client.call(IdentityGet.self, IdentityGet.Parameters(selector)).identity
      }
    } catch {
      guard error.exitCode == .notFound else { throw error }
      throw CommandFailure(
        .notFound, "there is no identity \(text)", hint: "kith identity list shows a user's identities")
    }
  }
}
