import Accounts
import EventLoop
import Postgres
import Store

/// Finds where somebody who follows the events goes on, and hands them what comes after.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class FollowEvents: @unchecked Sendable {
  /// Where one begins who has not read before.
  public enum Origin: Sendable {
    /// With the oldest event that is kept.
    case oldest
    /// With what happens from now on.
    case now
  }

  /// Who follows.
  public enum Follower: Sendable {
    /// A consumer, from where it is; a new one is made, and begins at the origin.
    case consumer(ConsumerKey, origin: Origin)
    /// Somebody who keeps the place themselves.
    case cursor(EventCursor)
    /// Somebody of whom nothing is kept.
    case nobody(Origin)
  }

  /// Consumers that one caller may have. Each is a name that somebody chose; more are names that were made up.
  public static let consumersMax = 100

  public let feed: EventFeed
  private let consumers: ConsumerLookup
  private let reads: Pool
  private let writes: Pool
  private let circumstances: Circumstances

  public init(on loop: EventLoop, feed: EventFeed, reads: Pool, writes: Pool, circumstances: Circumstances) {
    self.feed = feed
    consumers = ConsumerLookup(on: loop, from: reads)
    self.reads = reads
    self.writes = writes
    self.circumstances = circumstances
  }

  /// Reads what comes next, waiting for it if nothing has.
  ///
  /// - Parameters:
  ///   - waitMilliseconds: how long at most.
  ///   - onWait: given what can be hurried.
  /// - Throws: `eventsGone`, `unknownCursor`, or `tooManyConsumers`.
  public func read(
    _ follower: Follower, limit: Int, waitMilliseconds: UInt64, onWait: (EventFeed.Wait) -> Void
  ) async throws(OperationError) -> EventPage {
    let start = try await start(of: follower)
    return try await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<EventPage, OperationError>, Never>) in
      onWait(
        feed.next(after: start.place, limit: limit, waitMilliseconds: waitMilliseconds) {
          continuation.resume(returning: $0)
        })
    }.get()
  }

  /// Where somebody goes on.
  ///
  /// - Throws: `eventsGone`, `unknownCursor`, or `tooManyConsumers`.
  public func start(of follower: Follower) async throws(OperationError) -> EventCursor {
    switch follower {
    case .cursor(let cursor):
      try await check(cursor)
      return cursor
    case .nobody(let origin):
      let log = try await feed.log()
      return EventCursor(era: log.era, place: origin == .now ? log.lastPlace : log.droppedPlace)
    case .consumer(let key, let origin):
      let log = try await knownLog()
      let found = try await find(key, origin)
      guard found.place >= log.droppedPlace else {
        throw .eventsGone(EventCursor(era: log.era, place: log.droppedPlace))
      }
      return EventCursor(era: log.era, place: found.place)
    }
  }

  /// - Throws: `unknownCursor`, for one that was never told, or in another cluster.
  func check(_ cursor: EventCursor) async throws(OperationError) {
    if let known = feed.knownLog, cursor.era == known.era, cursor.place <= known.lastPlace { return }
    let log = try await feed.log()
    guard cursor.era == log.era, cursor.place <= log.lastPlace else { throw .unknownCursor }
  }

  private func knownLog() async throws(OperationError) -> EventLog {
    if let known = feed.knownLog { return known }
    return try await feed.log()
  }

  // MARK: Consumers

  private func find(_ key: ConsumerKey, _ origin: Origin) async throws(OperationError) -> Consumers.Found {
    if let found = try await find(key) {
      await touch(key, found)
      return found
    }
    let place = origin == .now ? try await feed.log().lastPlace : nil
    try await make(
      Consumers.New(
        key: key, place: place, at: circumstances.now(), consumersMax: Int32(clamping: Self.consumersMax)))
    guard let made = try await find(key) else { throw .tooManyConsumers(max: Self.consumersMax) }
    return made
  }

  private func find(_ key: ConsumerKey) async throws(OperationError) -> Consumers.Found? {
    let outcome = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Consumers.Found?, PostgresError>, Never>) in
      consumers.find(key) { continuation.resume(returning: $0) }
    }
    return try outcome.mapError { OperationError($0) }.get()
  }

  /// One whose commit is unknown is found by the next look, or made by the next call.
  private func make(_ new: Consumers.New) async throws(OperationError) {
    try await OperationError.translating { () throws(PostgresError) in
      var pipeline = Pipeline()
      pipeline.add(Consumers.insert, new)
      _ = try await writes.begin().commit(pipeline)
    }
  }

  /// So that one that is read and never acknowledged is not taken for one that nobody uses. Not worth failing for.
  private func touch(_ key: ConsumerKey, _ found: Consumers.Found) async {
    let now = circumstances.now()
    guard found.usedAt < now.advanced(bySeconds: -Consumers.touchSeconds) else { return }
    var pipeline = Pipeline()
    pipeline.add(Consumers.touch, (key, now))
    _ = try? await writes.begin().commit(pipeline)
  }
}
