import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let credentialHistory: Command = Command(
    "history", "Show who changed a credential and when, the oldest change first",
    details: """
      Also when it is gone. What is deleted and added again is another credential,
      whose versions count from 1.
      """,
    positionals: CredentialPlaceMembers.positionals, options: [.limit, .after]
  ) { context throws(CommandFailure) in
    let parameters = CredentialHistory.Parameters(
      place: CredentialPlaceMembers(in: context),
      page: Page(limit: try context.limit(), after: context.text(of: .after)))
    do throws(CommandFailure) {
      try await context.show(CredentialHistory.self, parameters) { found in
        guard !found.items.isEmpty else { return ["nothing more was done to it"] }
        let more = found.next.map { context.lines("", "There are more: add --after \($0)") }
        return context.lines(of: table(of: found.items)) + (more ?? [])
      }
    } catch {
      guard error.exitCode == .notFound else { throw error }
      throw CommandFailure(
        .notFound, "there is no such credential, and never was", hint: "kith credential list shows what there is")
    }
  }

  private static func table(of versions: [CredentialVersionShape]) -> Table {
    Table(
      [
        Table.Column("VERSION", isNumber: true), Table.Column("ACTION"), Table.Column("TIME"),
        Table.Column("BY", widthMin: 8),
      ],
      rows: versions.map { version in
        [
          "\(version.version)", version.action.rawValue, DisplayedTime.seconds(version.at),
          version.caller?.string ?? "nobody",
        ]
      },
      notes: versions.indices.map { position in
        let id = versions[position].credentialID
        return position > 0 && versions[position - 1].credentialID == id ? [] : ["credential \(id)"]
      })
  }
}
