import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let credentialDelete: Command = Command(
    "delete", "Delete a credential, for good",
    details: "Its history stays, and tells who deleted it.",
    positionals: CredentialPlaceMembers.positionals, options: [.reason]
  ) { context throws(CommandFailure) in
    let place = CredentialPlaceMembers(in: context)
    let words = "the credential of \(place.account) for \(place.service) in \(place.accessGroup)"
    try context.confirmation.ask("Delete \(words)?")
    let parameters = CredentialDelete.Parameters(place: place, reason: context.text(of: .reason))
    do throws(CommandFailure) {
      try await context.show(CredentialDelete.self, parameters) { _ in context.lines("deleted \(words)") }
    } catch {
      guard error.exitCode == .notFound else { throw error }
      throw CommandFailure(.notFound, "there is no such credential", hint: "kith credential list shows what there is")
    }
  }
}
