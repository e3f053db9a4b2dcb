import API
import Accounts
import Terminal

extension OptionDeclaration {
  static let reason = OptionDeclaration(
    "reason", .text("TEXT"), isRequired: true, "Why it is done; the audit trail keeps it")
}

extension CommandContext {
  /// Why, for a command that needs to be told.
  func reason() throws(CommandFailure) -> ChangeReason { try readReason(text(of: .reason) ?? "") }

  /// The value of an option that says why.
  func reason(of option: OptionDeclaration) throws(CommandFailure) -> ExactText? {
    try text(of: option).map { text throws(CommandFailure) in try readReason(text).text }
  }

  private func readReason(_ text: ExactText) throws(CommandFailure) -> ChangeReason {
    guard let reason = ChangeReason(text) else {
      throw CommandFailure(.usage, "--reason has to say something, in \(ChangeReason.bytesMax) bytes at most")
    }
    return reason
  }

  /// Finds the user and asks whether the change is meant.
  ///
  /// - Parameter verb: what is about to be done, with a capital.
  func confirmedChange(_ verb: String) async throws(CommandFailure) -> ReasonedUserParameters {
    let reason = try reason()
    let id = try await UserReference(in: self).id(for: self)
    let named = nameOfUser
    let isNamedByID = ExactText(named.lowercased()) == ExactText(id.description)
    try confirmation.ask("\(verb) user \(id)\(isNamedByID ? "" : " (\(named))")?")
    return ReasonedUserParameters(id: id, reason: reason.text)
  }
}
