import Accounts
import EventLoop
import Postgres
import Store

/// Remembers when identities signed in and writes it down now and then, in nobody's way.
///
/// The newest moment of an identity is written once a period. When more identities sign in than the limits allow, some are
/// left out and counted: the time of the last sign-in is for people to look at, sign-ins are for people to get in.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class LastSignIns: @unchecked Sendable {
  /// How stale the written time may be.
  private static let periodMilliseconds: UInt64 = 2000
  /// At some 15 µs a row these keep PostgreSQL busy for a hundredth of the time.
  private static let rowsPerPeriodMax = 1000
  /// Two megabytes of memory.
  private static let rememberedMax = 65_536

  private let loop: EventLoop
  private let pool: Pool
  private var times: [IdentityID: Timestamp] = [:]
  private var timer: LoopTimer?
  /// How many were left out since the start.
  public private(set) var leftOutCount = 0

  public init(on loop: EventLoop, to pool: Pool) {
    self.loop = loop
    self.pool = pool
  }

  func note(_ identity: IdentityID, at time: Timestamp) {
    guard times.count < Self.rememberedMax || times[identity] != nil else {
      leftOutCount += 1
      return
    }
    times[identity] = time
    writeSoon()
  }

  private func writeSoon() {
    guard timer == nil, !times.isEmpty else { return }
    timer = LoopTimer(on: loop, afterMilliseconds: Self.periodMilliseconds) { [self] in
      Task(executorPreference: loop) { [self] in
        let part = takePart()
        // What cannot be written now is not worth waiting for a database that is away.
        if await !write(part) { leftOutCount += part.count }
        timer = nil
        writeSoon()
      }
    }
  }

  /// Writes down everything that is remembered; for the end of the daemon.
  public func writeEverything() async {
    timer = nil
    while !times.isEmpty, await write(takePart()) {}
  }

  private func takePart() -> [NoteSignIns.Record] {
    let part = times.prefix(Self.rowsPerPeriodMax)
    for entry in part { times[entry.key] = nil }
    return part.map { NoteSignIns.Record(identity: $0.key, at: $0.value) }
  }

  private func write(_ records: [NoteSignIns.Record]) async -> Bool {
    var pipeline = Pipeline()
    pipeline.add(NoteSignIns.statement, records)
    return (try? await pool.begin().commit(pipeline)) != nil
  }
}
