import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let mergeUndo: Command = Command(
    "undo", "Make two users again of those whom a merge made one",
    details: """
      What came with the merge and is still there goes back; what came later stays
      with the user who survived. Of a merge that is undone already it says so, and
      asks nothing; the reason is the one that was given first.
      """,
    positionals: [.merge], options: [.reason]
  ) { context throws(CommandFailure) in
    let id = try context.mergeID()
    let before = try await context.merge(id).merge
    if before.state == .done { try context.confirmation.ask("Undo merge \(id)?") }
    let parameters = MergeUndo.Parameters(mergeID: id, reason: context.text(of: .reason) ?? "")
    try await context.showMerge(MergeUndo.self, parameters) { merge in
      guard before.state == .done else { return context.lines(of: undone(merge)) }
      return ["undid merge \(merge.mergeID)", "\(merge.absorbed) is a user of their own again"]
    }
  }

  private static func undone(_ merge: MergeShape) -> Sheet {
    var sheet = Sheet()
    sheet.add("merge", "\(merge.mergeID) was undone already")
    sheet.add("undone at", merge.undoneAt?.description)
    sheet.add("undone by", merge.undoneBy?.string)
    sheet.add("undo reason", merge.undoReason?.string)
    return sheet
  }
}
