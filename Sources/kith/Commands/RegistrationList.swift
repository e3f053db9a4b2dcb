import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  private static let email = OptionDeclaration(
    "email", .text("ADDRESS"), "Only those in whose details this address stands")

  static let registrationList: Command = Command(
    "list", "List held registrations, the oldest first",
    details: """
      Shows those of the namespaces that you may use. Somebody is held until the app
      completes the registration, or until they prove who they are.
      """,
    options: [email, .limit, .after]
  ) { context throws(CommandFailure) in
    let parameters = RegistrationList.Parameters(
      email: context.text(of: email), page: Page(limit: try context.limit(), after: context.text(of: .after)))
    try await context.show(RegistrationList.self, parameters) { found in
      guard !found.items.isEmpty else { return ["no registration is held"] }
      let more = found.next.map { context.lines("", "There are more: narrow the list, or add", "--after \($0)") }
      return context.lines(of: table(of: found.items)) + (more ?? [])
    }
  }

  /// The id is what the other commands want, so it is whole, and the subject, which may be long, stands below.
  private static func table(of registrations: [RegistrationShape]) -> Table {
    Table(
      [
        Table.Column("REGISTRATION"), Table.Column("FAILED", isNumber: true), Table.Column("HELD SINCE"),
        Table.Column("EXPIRES"),
      ],
      rows: registrations.map {
        [
          $0.id.description, "\($0.attempts)", DisplayedTime.minutes($0.heldAt), DisplayedTime.minutes($0.expiresAt),
        ]
      },
      notes: registrations.map(notes))
  }

  private static func notes(of registration: RegistrationShape) -> [String] {
    ["\(registration.provider):\(registration.tenant) \(registration.subject)"]
      + [registration.lastReason.map { "failed last: \($0)" } ?? "waits for \(RegistrationShape.waitsFor)"]
      + (registration.details == nil ? ["its details cannot be opened; the daemon's journal says why"] : [])
  }
}
