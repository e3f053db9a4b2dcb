import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let registration: Command = Command(
    "registration", "Look after people whose registration was begun and not ended",
    details: """
      What a provider told of them is held, sealed, until an app has registered them;
      their next sign-in goes on from it.
      """,
    verbs: [.registrationList, .registrationShow, .registrationDiscard])
}

extension PositionalDeclaration {
  static let registration = PositionalDeclaration("ID", "The registration, by its whole id")
}

extension CommandContext {
  /// The registration that the command line names.
  func registration() throws(CommandFailure) -> RegistrationID {
    let text = arguments.positionals.first ?? ""
    guard let id = RegistrationID(text) else {
      throw CommandFailure(
        .usage, "\"\(text)\" is no registration's id", hint: "kith registration list shows them")
    }
    return id
  }

  /// Calls a method for one registration; see ``show(_:_:userNamed:_:)``.
  func showRegistration<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, _ lines: (M.Result) -> [String]
  ) async throws(CommandFailure) {
    do throws(CommandFailure) {
      try await show(method, parameters, lines)
    } catch {
      guard error.exitCode == .notFound else { throw error }
      throw CommandFailure(
        .notFound, "there is no such registration",
        hint: "it may be completed, discarded or expired; kith registration list shows those that are held")
    }
  }
}
