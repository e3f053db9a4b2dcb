import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let registrationDiscard: Command = Command(
    "discard", "Drop a held registration with its details, for good",
    details: """
      The person's next sign-in begins anew. What their provider tells only once, as
      Apple does a name, is lost.
      """,
    positionals: [.registration], options: [.reason]
  ) { context throws(CommandFailure) in
    let reason = try context.reason()
    let id = try context.registration()
    try context.confirmation.ask("Discard registration \(id) with all that is held?")
    let parameters = RegistrationDiscard.Parameters(registrationID: id, reason: reason.text)
    try await context.showRegistration(RegistrationDiscard.self, parameters) { _ in ["discarded registration \(id)"] }
  }
}
