import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let mergeUndo: Command = Command(
    "undo", "Make two users again of those whom a merge made one",
    details: """
      What came with the merge and is still there goes back; what came later stays
      with the user who survived.
      """,
    positionals: [.merge], options: [.reason]
  ) { context throws(CommandFailure) in
    let reason = try context.reason()
    let id = try context.mergeID()
    try context.confirmation.ask("Undo merge \(id)?")
    let parameters = MergeUndo.Parameters(mergeID: id, reason: reason.text)
    try await context.showMerge(MergeUndo.self, parameters) { merge in
      ["undid merge \(merge.mergeID)", "\(merge.absorbed) is a user of their own again"]
    }
  }
}
