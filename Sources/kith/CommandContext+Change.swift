import API
import Accounts
import Terminal

extension OptionDeclaration {
  static let reason = OptionDeclaration(
    "reason", .text("TEXT"), isRequired: true, "Why it is done; the audit trail keeps it")
}

extension CommandContext {
  /// Finds the user and asks whether the change is meant.
  ///
  /// - Parameter verb: what is about to be done, with a capital.
  func confirmedChange(_ verb: String) async throws(CommandFailure) -> ReasonedUserParameters {
    let id = try await UserReference(in: self).id(for: self)
    let named = nameOfUser
    let isNamedByID = ExactText(named.lowercased()) == ExactText(id.description)
    try confirmation.ask("\(verb) user \(id)\(isNamedByID ? "" : " (\(named))")?")
    return ReasonedUserParameters(id: id, reason: ExactText(arguments.value(of: .reason) ?? ""))
  }
}
