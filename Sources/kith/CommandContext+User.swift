import Accounts
import Terminal

extension OptionDeclaration {
  /// For lists that can be narrowed to a user.
  static let ofUser = OptionDeclaration("user", .text("USER"), "Only those of this user, named as elsewhere")
}

extension CommandContext {
  /// The user of `--user`.
  func user() async throws(CommandFailure) -> UserID? {
    guard let named = arguments.value(of: .ofUser) else { return nil }
    let reference = try UserReference(named, tenant: arguments.value(of: .tenant))
    return try await reference.idEvenIfErased(for: self, named: named)
  }
}
