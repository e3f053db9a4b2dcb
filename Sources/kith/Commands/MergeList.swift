import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  private static let ofUser = OptionDeclaration(
    "user", .text("USER"), "Only merges of this user, into them or into another")

  static let mergeList: Command = Command(
    "list", "List merges, the newest first",
    options: [ofUser, .tenant, .limit, .after]
  ) { context throws(CommandFailure) in
    var id: UserID?
    if let name = context.arguments.value(of: ofUser) {
      let reference = try UserReference(name, tenant: context.arguments.value(of: .tenant))
      id = try await reference.id(for: context, named: name)
    }
    let parameters = MergeList.Parameters(
      userID: id, page: Page(limit: try context.limit(), after: context.text(of: .after)))
    try await context.show(MergeList.self, parameters) { found in
      guard !found.items.isEmpty else { return ["no users were merged"] }
      let more = found.next.map { ["", "There are more: narrow the list, or add", "--after \($0)"] }
      return context.lines(of: table(of: found.items)) + (more ?? [])
    }
  }

  /// Three ids are too wide for a row, so those of the users stand below.
  private static func table(of merges: [MergeShape]) -> Table {
    Table(
      [Table.Column("MERGE"), Table.Column("STATE"), Table.Column("AT"), Table.Column("BY", widthMin: 4)],
      rows: merges.map { [$0.mergeID.description, $0.state.rawValue, DisplayedTime.minutes($0.at), $0.by.string] },
      notes: merges.map { ["\($0.absorbed)", "into \($0.survivor)", $0.reason.string] })
  }
}
