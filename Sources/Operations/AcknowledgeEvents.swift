import Accounts
import EventLoop
import Postgres
import Store

/// Moves consumers onwards. Acknowledgements that come while others are being written go together in one transaction.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class AcknowledgeEvents: @unchecked Sendable {
  /// A transaction of so many takes a few milliseconds.
  private static let batchMax = 256
  /// Between two attempts, of which the first may have been committed.
  private static let pauseMilliseconds: UInt64 = 20

  private typealias Outcome = Result<EventCursor, OperationError>

  private struct Waiting {
    let key: ConsumerKey
    let cursor: EventCursor
    let tell: (Outcome) -> Void
  }

  private let loop: EventLoop
  private let writes: Pool
  private let follow: FollowEvents
  private let circumstances: Circumstances
  private var queue: [Waiting] = []
  private var isWriting = false

  public init(on loop: EventLoop, follow: FollowEvents, writes: Pool, circumstances: Circumstances) {
    self.loop = loop
    self.follow = follow
    self.writes = writes
    self.circumstances = circumstances
  }

  /// Notes that an app is done with everything up to a cursor; an earlier one than before changes nothing.
  ///
  /// - Returns: where the consumer is now.
  /// - Throws: `not_found`, `unknownCursor`, `request_key_reused`, or `in_progress`.
  public func acknowledge(
    _ consumer: ConsumerKey, upTo cursor: EventCursor, call: ChangeCall<EventCursor>
  ) async throws(OperationError) -> Answer<EventCursor> {
    try await follow.check(cursor)
    if call.requestKey != nil { return try await acknowledgeKeyed(consumer, cursor, call) }
    let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
      queue.append(Waiting(key: consumer, cursor: cursor) { continuation.resume(returning: $0) })
      writeSoon()
    }
    return .new(try outcome.get())
  }

  // MARK: Together

  private func writeSoon() {
    guard !isWriting else { return }
    isWriting = true
    Task(executorPreference: loop) { [self] in
      while let era = queue.first?.cursor.era {
        let batch = queue.prefix(Self.batchMax).prefix { $0.cursor.era == era }
        queue.removeFirst(batch.count)
        await write(Array(batch), era)
      }
      isWriting = false
    }
  }

  private func write(_ batch: [Waiting], _ era: Int32) async {
    let furthest = Dictionary(batch.map { ($0.key, $0.cursor.place) }, uniquingKeysWith: max)
    let acknowledgements = furthest.map { Consumers.Acknowledgement(key: $0.key, place: $0.value) }
    let move = Consumers.Move(acknowledgements: acknowledgements, era: era, at: circumstances.now())
    switch await commit(move) {
    case .success(let rows):
      let places = Dictionary(
        rows.map { (acknowledgements[$0.position].key, $0.place) }, uniquingKeysWith: { $1 })
      for waiting in batch {
        waiting.tell(
          places[waiting.key].map { .success(EventCursor(era: era, place: $0)) } ?? .failure(.refused(.notFound)))
      }
    case .failure(let error):
      for waiting in batch { waiting.tell(.failure(OperationError(error))) }
    }
  }

  /// A commit whose outcome is unknown is made again, which changes nothing if it had happened.
  private func commit(_ move: Consumers.Move) async -> Result<[(position: Int, place: Int64)], PostgresError> {
    var isUncertain = false
    while true {
      let outcome = await attempt(move)
      guard case .failure(let error) = outcome else { return outcome }
      if case .commitUnknown = error { isUncertain = true }
      guard isUncertain, error.passes else { return outcome }
      await loop.pause(milliseconds: Self.pauseMilliseconds)
    }
  }

  private func attempt(_ move: Consumers.Move) async -> Result<[(position: Int, place: Int64)], PostgresError> {
    do throws(PostgresError) {
      var pipeline = Pipeline()
      let slot = pipeline.add(Consumers.move, move)
      return .success(try await writes.begin().commit(pipeline).rows(of: slot))
    } catch {
      return .failure(error)
    }
  }

  // MARK: With a request key

  private func acknowledgeKeyed(
    _ consumer: ConsumerKey, _ cursor: EventCursor, _ call: ChangeCall<EventCursor>
  ) async throws(OperationError) -> Answer<EventCursor> {
    let lock = ChangeLock<Int64?> { pipeline, gate in
      let row = pipeline.add(Consumers.lock, (consumer, gate))
      return { results throws(PostgresError) in try results.first(of: row) }
    }
    return try await KeyedChange(call: call, pool: writes, circumstances: circumstances, lock: lock) {
      place, moment throws(OperationError) in
      guard let place else { throw .refused(.notFound) }
      guard place < cursor.place else { return .unchanged(EventCursor(era: cursor.era, place: place)) }
      let acknowledgement = Consumers.Acknowledgement(key: consumer, place: cursor.place)
      var pipeline = Pipeline()
      pipeline.add(
        Consumers.move, Consumers.Move(acknowledgements: [acknowledgement], era: cursor.era, at: moment.at))
      return .changed(cursor, pipeline, .acknowledged(acknowledgement))
    }.run()
  }
}
