import API
import Accounts
import JSON
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let keyRewrap: Command = Command(
    "rewrap", "Wrap everything that former keys seal anew, under the primary key",
    details: """
      The daemons go on serving meanwhile. It may be cut short and begun again at
      any time. Exits 1 when records are left that cannot be unwrapped, 5 when some
      are left that somebody was changing.
      """
  ) { context throws(CommandFailure) in
    let status = try await context.withClient { client throws(ClientError) in
      try await client.call(KeyStatus.self, EmptyShape())
    }
    let former = status.keys.filter { $0.state != .primary }.reduce(0) { $0 + $1.records }
    let bar = ProgressBar("Wrapping anew", total: former, on: context.console)
    let outcome: Rewrapping
    do throws(CommandFailure) {
      outcome = try await context.withClient { client throws(ClientError) in
        try await Rewrapping.run(client) { bar.show(done: $0) }
      }
      bar.clear()
    } catch {
      bar.clear()
      throw error
    }
    if context.wantsJSON {
      context.write(json: outcome.json(primary: status.primary))
    } else {
      let left = outcome.remaining == 0 ? nil : try await leftovers(context)
      let others = outcome.hadNothingToDo ? unread(status) : []
      context.console.writeOutput(
        lines: ([outcome.words(primary: status.primary)] + others + [left].compactMap(\.self)).flatMap {
          context.lines($0)
        })
    }
    if let failure = outcome.failure { throw failure }
  }

  /// What other keys than the primary one still seal.
  private static func leftovers(_ context: CommandContext) async throws(CommandFailure) -> String? {
    let status = try await context.withClient { client throws(ClientError) in
      try await client.call(KeyStatus.self, EmptyShape())
    }
    let left = status.keys.filter { $0.state != .primary && $0.records > 0 }.map { "\($0.records) by key \($0.id)" }
    return left.isEmpty ? nil : "still sealed by others: \(left.joined(separator: ", "))"
  }

  /// That the daemon may not know yet which key is to seal: it wraps under the one that it read as primary. A key that was
  /// added later than that one is still to be promoted, or has been, and the daemon has not read it.
  private static func unread(_ status: KeyStatus.Result) -> [String] {
    let newer = status.keys.drop { $0.state != .primary }.filter { $0.state == .decryptOnly }.map(\.id.string)
    let isAlone = status.keys.filter { $0.state == .primary || $0.state == .decryptOnly }.count == 1
    guard !newer.isEmpty || isAlone else { return [] }
    let words =
      newer.isEmpty
      ? "This daemon has read no other key. If you have promoted one,"
      : "\(newer.joined(separator: ", ")) seals nothing: this daemon has not read that it is primary. If you have promoted it,"
    return [
      words, "have every daemon read the keyset, and run this again: \(KeysetArgument.reload)",
      "Where its unit hands it over (LoadCredential=): \(KeysetArgument.restart)",
    ]
  }
}

/// What came of calling `key.rewrap` until nothing was left to do.
private struct Rewrapping {
  var rewrapped = 0
  /// Of the last time that all were looked at.
  var failed = 0
  var remaining = 0

  /// - Parameter progress: told after each batch how many were wrapped anew.
  static func run(
    _ client: KithClient, _ progress: (Int) -> Void
  ) async throws(ClientError) -> Rewrapping {
    var total = Rewrapping()
    while true {
      let before = total.rewrapped
      total.failed = 0
      var after: ExactText?
      repeat {
        let batch = try await client.call(KeyRewrap.self, KeyRewrap.Parameters(after: after))
        total.rewrapped += batch.rewrapped
        total.failed += batch.failed
        total.remaining = batch.remaining
        after = batch.next
        progress(total.rewrapped)
      } while after != nil
      // What somebody was changing is looked for once more, as long as there is anything to be done.
      if total.remaining <= total.failed || total.rewrapped == before { return total }
    }
  }

  var hadNothingToDo: Bool { rewrapped == 0 && remaining == 0 }

  func words(primary: ExactText) -> String {
    if hadNothingToDo { return "nothing was left to do: key \(primary) seals everything" }
    let records = rewrapped == 1 ? "record is" : "records are"
    return "\(rewrapped) \(records) wrapped anew by key \(primary)"
      + (remaining == 0 ? ", which seals everything now" : "")
  }

  var failure: CommandFailure? {
    if failed > 0 {
      return CommandFailure(
        .failed, "\(failed.counted("record", "records")) cannot be unwrapped",
        hint: "the daemon's journal names each as sealed_record_invalid")
    }
    guard remaining > 0 else { return nil }
    return CommandFailure(.tryAgain, "\(remaining) records are being changed by others", hint: "run it again")
  }

  /// - Parameter primary: the key that the daemon wraps under.
  func json(primary: ExactText) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("primary")
    writer.string(primary.string)
    writer.member("rewrapped")
    writer.integer(rewrapped)
    writer.member("failed")
    writer.integer(failed)
    writer.member("remaining")
    writer.integer(remaining)
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
