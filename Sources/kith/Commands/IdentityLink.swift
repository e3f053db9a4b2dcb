import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let identityLink: Command = Command(
    "link", "Add an identity to a user",
    details: """
      From then on whoever signs in with it is this user. The provider is not asked,
      so be sure that it is the person's. Asks before it does so. The daemon allows it
      to callers with may_assert.
      """,
    positionals: [.user, PositionalDeclaration("IDENTITY", "The identity, as provider:subject")],
    options: [.tenant, .optionalReason]
  ) { context throws(CommandFailure) in
    let identity = try context.identitySelector(context.arguments.positionals[1])
    let name = context.arguments.positionals[0]
    let user = try await UserReference(name).id(for: context, named: name)
    let tenant = identity.tenant.map { " of \($0)" } ?? ""
    try context.confirmation.ask("Let \(identity.provider):\(identity.subject)\(tenant) sign in as user \(user)?")
    let claims = ClaimsShape(provider: identity.provider, tenant: identity.tenant, subject: identity.subject)
    let parameters = IdentityLink.Parameters(userID: user, claims: claims, reason: context.text(of: .optionalReason))
    try await context.show(IdentityLink.self, parameters) { answer in
      var sheet = Sheet()
      sheet.add("linked", answer.identity.displayedName)
      sheet.add("to user", answer.identity.userID.description)
      sheet.add("as identity", answer.identity.id.description)
      return context.lines(of: sheet)
    }
  }
}
