import API
import Accounts
import JSONRPC
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let mergeShow: Command = Command(
    "show", "Show one merge, and what it moved",
    details: "What was unlinked, removed or deleted since is told as far as it is known.",
    positionals: [.merge]
  ) { context throws(CommandFailure) in
    let parameters = MergeGet.Parameters(mergeID: try context.mergeID())
    guard !context.wantsJSON else {
      try await context.showMerge(MergeGet.self, parameters) { _ in [] }
      return
    }
    let found = try await context.merge(parameters.mergeID)
    let moved = try await context.moved(by: found)
    context.console.writeOutput(
      lines: context.lines(of: sheet(of: found))
        + (moved.isEmpty ? [] : ["", context.palette.heading("came with it")] + moved))
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
      "left", merge.credentialsLeft.map { "\($0.counted("credential", "credentials")) that could not be opened" })
    sheet.add("at", merge.at.description)
    sheet.add("by", merge.by.string)
    sheet.add("reason", merge.reason.string)
    sheet.add("undone at", merge.undoneAt?.description)
    sheet.add("undone by", merge.undoneBy?.string)
    sheet.add("undo reason", merge.undoReason?.string)
    return sheet
  }
}

extension CommandContext {
  /// More identities of one merge are told by their ids.
  private static let identitiesMax = 50

  /// What a merge moved, an item a line: identities as they are now, and by their ids those that are gone.
  fileprivate func moved(by found: MergeGet.Result) async throws(CommandFailure) -> [String] {
    var identities: [IdentityShape] = []
    var gone: [String] = []
    for (number, id) in found.identities.enumerated() {
      if number < Self.identitiesMax, let identity = try await identity(id) {
        identities.append(identity)
      } else {
        gone.append("identity \(id)" + (number < Self.identitiesMax ? ", which is gone" : ""))
      }
    }
    let rest = MergePicture.words(for: found.emails, found.credentials, found.registrations)
    return (identities.isEmpty ? [] : lines(of: Table(identities: identities)))
      + MergePicture.wrapped(gone + rest, self)
  }

  /// Nil for one that is gone, and where whoever asks may not see it.
  private func identity(_ id: IdentityID) async throws(CommandFailure) -> IdentityShape? {
    try await withClient { client throws(ClientError) in
      do throws(ClientError) {
        return try await client.call(IdentityGet.self, IdentityGet.Parameters(.id(id))).identity
      } catch {
        guard case .refused(let refusal) = error, [.notFound, .methodForbidden].contains(refusal.reason) else {
          throw error
        }
        return nil
      }
    }
  }
}
