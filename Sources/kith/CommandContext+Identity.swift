import API
import Accounts
import Terminal

extension OptionDeclaration {
  static let optionalReason = OptionDeclaration("reason", .text("TEXT"), "Why it is done; the audit trail keeps it")
}

extension CommandContext {
  /// An identity as a person names it: `PROVIDER:SUBJECT`, and the tenant beside it.
  func identitySelector(_ text: String) throws(CommandFailure) -> IdentitySelector {
    let named = try? UserReference(text, tenant: arguments.value(of: .tenant))
    guard case .identity(let provider, let tenant, let subject)? = named else {
      throw CommandFailure(
        .usage, "\"\(text)\" names no identity", hint: "an identity is named by provider:subject, as in apple:000482.7b"
      )
    }
    return IdentitySelector(provider: ExactText(provider.rawValue), tenant: tenant, subject: subject.text)
  }
}

extension IdentityShape {
  /// What people call it.
  var displayedName: String { "\(provider):\(tenant) \(subject)" }
}
