import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let auditList: Command = Command(
    "list", "List who changed what and why, the newest first",
    details:
      "With --user also what concerned those who were merged into them, and merges\ninto somebody else; an id of somebody who is erased is taken too.",
    options: [.ofUser, .tenant, .limit, .after]
  ) { context throws(CommandFailure) in
    let parameters = AuditList.Parameters(
      userID: try await context.user(), page: Page(limit: try context.limit(), after: context.text(of: .after)))
    try await context.show(AuditList.self, parameters) { found in
      guard !found.items.isEmpty else { return ["nothing was found"] }
      let more = found.next.map { ["", "There are more: add --after \($0)"] }
      return context.lines(of: table(of: found.items)) + (more ?? [])
    }
  }

  private static func table(of rows: [AuditShape]) -> Table {
    Table(
      [
        Table.Column("PLACE", isNumber: true), Table.Column("TIME"), Table.Column("BY", widthMin: 8),
        Table.Column("ACTION", widthMin: 12),
      ],
      rows: rows.map { ["\($0.seq)", DisplayedTime.seconds($0.at), by($0), $0.action.string] },
      notes: rows.map(notes))
  }

  private static func by(_ row: AuditShape) -> String {
    row.caller.string + (row.peerUID.map { " (uid \($0))" } ?? "")
  }

  private static func notes(of row: AuditShape) -> [String] {
    (row.userID.map { ["user \($0)"] } ?? []) + (row.reason.map { ["why: \($0)"] } ?? [])
      + (row.data.text.string.utf8.count > 2 ? [row.data.text.string] : [])
  }
}
