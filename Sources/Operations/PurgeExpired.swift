import Accounts
import Postgres
import Store

/// Drops what has served its time: answers kept for repeats, expired challenges, tokens and credentials, registrations that
/// nobody completed, old events, and consumers that nobody uses. To be run now and then.
public struct PurgeExpired: Sendable {
  /// What one run did.
  public struct Outcome: Sendable {
    public var keptAnswers = 0
    public var challenges = 0
    public var emailTokens = 0
    public var credentials = 0
    public var registrations = 0
    public var events = 0
    public var consumers = 0
    /// Why it stopped early; the next run goes on.
    public var failure: PostgresError?
  }

  /// How long a repeat gets its answer.
  private static let keptAnswerSeconds: Double = 30 * 86_400
  /// So long after it expired a challenge or a token is still known, and whoever comes late is told why.
  private static let challengeSeconds: Double = 86_400
  /// As long as an event is kept: everything that such a consumer has not seen is gone.
  private static let consumerSeconds: Double = 90 * 86_400
  /// A transaction of so many rows takes some ten milliseconds.
  private static let batchRowsMax: Int32 = 1000
  /// A run ends after so many batches of one kind; more is for the next run.
  private static let batchesMax = 100

  private let writes: Pool
  private let circumstances: Circumstances

  public init(writes: Pool, circumstances: Circumstances) {
    self.writes = writes
    self.circumstances = circumstances
  }

  @discardableResult
  public func runOnce() async -> Outcome {
    let now = circumstances.now()
    var outcome = Outcome()
    do throws(PostgresError) {
      try await drop(
        DropExpired.keptAnswers, before: now.advanced(bySeconds: -Self.keptAnswerSeconds),
        counting: &outcome.keptAnswers)
      try await drop(
        DropExpired.challenges, before: now.advanced(bySeconds: -Self.challengeSeconds), counting: &outcome.challenges)
      try await drop(
        DropExpired.emailTokens, before: now.advanced(bySeconds: -Self.challengeSeconds),
        counting: &outcome.emailTokens)
      // Nobody is told of a credential once it has expired, so nothing is to be waited for.
      try await drop(DropExpired.credentials, before: now, counting: &outcome.credentials)
      try await drop(ChangeRegistration.expire, before: now, counting: &outcome.registrations)
      try await drop(
        DropExpired.consumers, before: now.advanced(bySeconds: -Self.consumerSeconds), counting: &outcome.consumers)
      // What nobody has read has no place yet, and only what has one is dropped.
      var placed = 0
      try await repeatedly(EventLog.place, counting: &placed)
      try await repeatedly(EventLog.drop, counting: &outcome.events)
    } catch {
      outcome.failure = error
    }
    return outcome
  }

  private func repeatedly(
    _ statement: Statement<Int32, Int>, counting total: inout Int
  ) async throws(PostgresError) {
    for _ in 0..<Self.batchesMax {
      var pipeline = Pipeline()
      let slot = pipeline.add(statement, Self.batchRowsMax)
      let count = try await writes.begin().commit(pipeline).first(of: slot) ?? 0
      total += count
      if count < Int(Self.batchRowsMax) { return }
    }
  }

  private func drop(
    _ statement: Statement<DropExpired.Batch, Void>, before: Timestamp, counting total: inout Int
  ) async throws(PostgresError) {
    for _ in 0..<Self.batchesMax {
      var pipeline = Pipeline()
      let slot = pipeline.add(statement, DropExpired.Batch(before: before, limit: Self.batchRowsMax))
      let count = try await writes.begin().commit(pipeline).affectedCount(of: slot)
      total += count
      if count < Int(Self.batchRowsMax) { return }
    }
  }
}
