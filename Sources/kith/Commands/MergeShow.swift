import API
import Accounts
import Terminal

extension Command where Context == CommandContext {
  static let mergeShow: Command = Command(
    "show", "Show one merge with what came along", positionals: [.merge]
  ) { context throws(CommandFailure) in
    let parameters = MergeGet.Parameters(mergeID: try context.mergeID())
    try await context.showMerge(MergeGet.self, parameters) { found in context.lines(of: sheet(of: found)) }
  }

  private static func sheet(of found: MergeGet.Result) -> Sheet {
    let merge = found.merge
    var sheet = Sheet()
    sheet.add("merge", merge.mergeID.description)
    sheet.add("state", merge.state.rawValue)
    sheet.add("survivor", merge.survivor.description)
    sheet.add("absorbed", merge.absorbed.description)
    for (position, former) in found.formerIDs.enumerated() {
      sheet.add(position == 0 ? "came along" : "", "\(former), a former id")
    }
    sheet.add("moved", MergePicture.words(for: merge.moved))
    sheet.add(
      "left", merge.credentialsLeft.map { "\($0) \($0 == 1 ? "credential" : "credentials") that could not be opened" })
    sheet.add("at", merge.at.description)
    sheet.add("by", merge.by.string)
    sheet.add("reason", merge.reason.string)
    sheet.add("undone at", merge.undoneAt?.description)
    sheet.add("undone by", merge.undoneBy?.string)
    sheet.add("undo reason", merge.undoReason?.string)
    return sheet
  }
}
