import API
import Accounts
import JSON
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let auditVerify: Command = Command(
    "verify", "Check that nothing in the audit trail was changed, removed or put in",
    details: "Reads it from its beginning to its end. Exits 1 where something does not fit."
  ) { context throws(CommandFailure) in
    let newest = try await context.withClient { client throws(ClientError) in
      try await client.call(AuditList.self, AuditList.Parameters(page: Page(limit: 1))).items.first?.seq ?? 0
    }
    let bar = ProgressBar("Verifying", total: newest, on: context.console)
    let outcome: AuditVerify.Result
    do throws(CommandFailure) {
      outcome = try await context.withClient { client throws(ClientError) in
        try await verify(client) { bar.show(done: $0) }
      }
      bar.clear()
    } catch {
      bar.clear()
      throw error
    }
    if context.wantsJSON {
      context.write(json: json(outcome))
    } else if outcome.ok {
      context.console.writeOutput(lines: ["the audit trail is whole: \(rows(outcome.checked))"])
    }
    if let place = outcome.firstBad {
      throw CommandFailure(
        .failed, "the audit trail is broken at place \(place)",
        hint: place > 1 ? "what stands before place \(place) is as it was written" : nil)
    }
  }

  /// So many rows take half a second or so.
  private static let partRows = 10_000

  private static func verify(
    _ client: KithClient, _ progress: (Int) -> Void
  ) async throws(ClientError) -> AuditVerify.Result {
    var whole = AuditVerify.Result(ok: true, checked: 0)
    var after: ExactText?
    repeat {
      let part = try await client.call(AuditVerify.self, AuditVerify.Parameters(limit: partRows, after: after))
      whole.checked += part.checked
      whole.ok = part.ok
      whole.firstBad = part.firstBad
      after = part.next
      progress(whole.checked)
    } while after != nil && whole.ok
    return whole
  }

  private static func rows(_ count: Int) -> String { count.counted("row", "rows") }

  private static func json(_ outcome: AuditVerify.Result) -> String {
    var writer = JSONWriter()
    outcome.encode(into: &writer)
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
