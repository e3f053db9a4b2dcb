import Accounts
import EventLoop
import Postgres
import Store
import Synchronization

/// Hands events to those who wait for them, however many, by few looks at the database.
///
/// A look gives what was committed since the last one its place in the order (see `kith.place_events`). There is one at a
/// time; it is due when somebody comes, when this process has committed something, and a few times a second while anybody
/// waits, because other daemons commit as well. What comes after a place is read once for all who ask for it meanwhile.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only, `isSignalled` apart.
public final class EventFeed: @unchecked Sendable {
  public typealias Asker = (Result<EventPage, OperationError>) -> Void

  /// How late an event of another daemon may be told.
  private static let periodMilliseconds: UInt64 = 250
  /// While events come without a pause, looks begin no closer than this: so they are told by the handful.
  private static let pauseMilliseconds: UInt64 = 100
  /// A transaction of so many takes some twenty milliseconds.
  private static let placedPerBatchMax: Int32 = 1000
  /// After so many batches those who wait are told what there is.
  private static let batchesPerLookMax = 10

  /// Somebody who waits for what comes after a place.
  ///
  /// `@unchecked Sendable`: it belongs to its feed's loop and is touched on that loop's thread only.
  public final class Wait: @unchecked Sendable {
    fileprivate let page: ReadEvents.Page
    fileprivate var isPatient: Bool
    fileprivate var asker: Asker?
    fileprivate var timer: LoopTimer?
    /// Whether a look began after this came.
    fileprivate var isSeen = false
    private weak var feed: EventFeed?

    fileprivate init(_ page: ReadEvents.Page, isPatient: Bool, of feed: EventFeed, _ asker: @escaping Asker) {
      self.page = page
      self.isPatient = isPatient
      self.feed = feed
      self.asker = asker
    }

    /// Ends it with no events; nothing happens when it is over already.
    public func end() { feed?.end(self) }

    /// Waits no longer than for one look, as if it had been told not to wait.
    public func hurry() {
      isPatient = false
      feed?.lookSoon()
    }

    fileprivate func tell(_ outcome: Result<EventPage, OperationError>) {
      timer = nil
      let asker = self.asker
      self.asker = nil
      asker?(outcome)
    }
  }

  private let loop: EventLoop
  private let reads: Pool
  private let writes: Pool
  private let signal: CommitSignal
  private var waits: [Wait] = []
  /// Those who are told of a page that is being read.
  private var readings: [ReadEvents.Page: [Wait]] = [:]
  /// As of the last look.
  private var known: EventLog?
  private var isLooking = false
  private var isLookDue = false
  private var isStopped = false
  private var ticker: LoopTimer?
  /// Whether a signal is on its way to the loop; set on any thread.
  private let isSignalled = Atomic(false)

  public init(on loop: EventLoop, reads: Pool, writes: Pool, signal: CommitSignal) {
    self.loop = loop
    self.reads = reads
    self.writes = writes
    self.signal = signal
  }

  /// Ends all waits, and every further one at once.
  public func stop() {
    isStopped = true
    for wait in waits { end(wait) }
  }

  // MARK: Asking

  /// Tells what comes after a place, once there is something or the time is over.
  ///
  /// - Parameters:
  ///   - waitMilliseconds: nil for as long as it takes.
  ///   - asker: gets a page, which has no events when the time was over, or why there is none.
  @discardableResult
  public func next(
    after place: Int64, limit: Int, waitMilliseconds: UInt64?, then asker: @escaping Asker
  ) -> Wait {
    let wait = Wait(
      ReadEvents.Page(after: place, limit: Int32(clamping: limit)), isPatient: waitMilliseconds != 0, of: self, asker)
    guard !isStopped else {
      wait.tell(.success(nothing(after: place)))
      return wait
    }
    if let known, place < known.lastPlace {
      if mustRead(wait.page, for: [wait]) {
        Task(executorPreference: loop) { [self] in await read(wait.page, known, isFresh: false) }
      }
    } else {
      begin(wait, waitMilliseconds)
    }
    return wait
  }

  /// How far the events go now, everything that was committed before included.
  public func log() async throws(OperationError) -> EventLog {
    try await OperationError.translating { () throws(PostgresError) in
      let (log, failure) = try await look()
      if let failure { throw failure }
      return log
    }
  }

  /// The same as it was known last; everything up to there is there still.
  var knownLog: EventLog? { known }

  private func begin(_ wait: Wait, _ milliseconds: UInt64?) {
    if waits.isEmpty { beginListening() }
    waits.append(wait)
    if let milliseconds, milliseconds > 0 {
      wait.timer = LoopTimer(on: loop, afterMilliseconds: milliseconds) { [unowned self, unowned wait] in end(wait) }
    }
    lookSoon()
  }

  private func end(_ wait: Wait) {
    remove { $0 === wait }
    wait.tell(.success(nothing(after: wait.page.after)))
  }

  private func nothing(after place: Int64) -> EventPage {
    EventPage([], cursor: EventCursor(era: known?.era ?? 1, place: place))
  }

  private func remove(where isToGo: (Wait) -> Bool) {
    waits.removeAll(where: isToGo)
    if waits.isEmpty { endListening() }
  }

  // MARK: Looking

  private func beginListening() {
    let period = Self.periodMilliseconds
    ticker = LoopTimer(on: loop, afterMilliseconds: period, everyMilliseconds: period) { [unowned self] in lookSoon() }
    signal.listen(self) { [weak self] in self?.signalled() }
  }

  private func endListening() {
    ticker = nil
    signal.stopListening(self)
  }

  /// On any thread.
  private func signalled() {
    guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    loop.perform { [self] in
      isSignalled.store(false, ordering: .releasing)
      lookSoon()
    }
  }

  fileprivate func lookSoon() {
    guard !waits.isEmpty else { return }
    isLookDue = true
    guard !isLooking else { return }
    isLooking = true
    Task(executorPreference: loop) { [self] in
      while isLookDue, !waits.isEmpty {
        let began = loop.nowMilliseconds
        await lookForAll()
        let elapsed = loop.nowMilliseconds - began
        if isLookDue, elapsed < Self.pauseMilliseconds {
          await loop.pause(milliseconds: Self.pauseMilliseconds - elapsed)
        }
      }
      isLooking = false
    }
  }

  private func lookForAll() async {
    isLookDue = false
    for wait in waits { wait.isSeen = true }
    do throws(PostgresError) {
      let (log, failure) = try await look()
      if log.hasUnplaced, failure == nil { isLookDue = true }
      await serve(log, failure)
    } catch {
      tellSeen(.failure(OperationError(error))) { _ in true }
    }
  }

  /// - Returns: how far the events go, and why what was committed since could not be given a place.
  private func look() async throws(PostgresError) -> (log: EventLog, failure: PostgresError?) {
    let before = try await lookOnce()
    guard before.hasUnplaced else { return (before, nil) }
    let failure = await place()
    return (try await lookOnce(), failure)
  }

  private func lookOnce() async throws(PostgresError) -> EventLog {
    guard let log = try await reads.rows(EventLog.look, ()).first else {
      throw .unexpectedAnswer("the log of events has no end")
    }
    known = log
    return log
  }

  private func place() async -> PostgresError? {
    do throws(PostgresError) {
      for _ in 0..<Self.batchesPerLookMax {
        var pipeline = Pipeline()
        let slot = pipeline.add(EventLog.place, Self.placedPerBatchMax)
        let placed = try await writes.begin().commit(pipeline).first(of: slot) ?? 0
        if placed < Int(Self.placedPerBatchMax) { break }
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Telling

  private func serve(_ log: EventLog, _ failure: PostgresError?) async {
    let ready = Dictionary(grouping: waits.filter { $0.page.after < log.lastPlace }, by: \.page)
    remove { $0.page.after < log.lastPlace }
    for (page, group) in ready where mustRead(page, for: group) { await read(page, log, isFresh: true) }
    if let failure {
      tellSeen(.failure(OperationError(failure))) { _ in true }
    } else {
      tellSeen(nil) { !$0.isPatient }
    }
  }

  /// Ends waits for which there is nothing, among those that were there when the look began.
  private func tellSeen(_ outcome: Result<EventPage, OperationError>?, where isOver: (Wait) -> Bool) {
    let over = waits.filter { $0.isSeen && isOver($0) }
    remove { $0.isSeen && isOver($0) }
    for wait in over { wait.tell(outcome ?? .success(nothing(after: wait.page.after))) }
  }

  /// Has some told of a page once it is read.
  ///
  /// - Returns: whether it has to be read, for nobody does so yet.
  private func mustRead(_ page: ReadEvents.Page, for group: [Wait]) -> Bool {
    defer { readings[page, default: []] += group }
    return readings[page] == nil
  }

  /// - Parameter isFresh: whether the log was looked at just now.
  private func read(_ page: ReadEvents.Page, _ log: EventLog, isFresh: Bool) async {
    do throws(PostgresError) {
      let events = try await reads.rows(ReadEvents.statement, page)
      let group = readings.removeValue(forKey: page) ?? []
      guard isFresh || !events.isEmpty else {
        // The database is not the one that it was.
        known = nil
        for wait in group { begin(wait, wait.isPatient ? Self.periodMilliseconds : 0) }
        return
      }
      let outcome = Self.outcome(events, of: page, log)
      for wait in group { wait.tell(outcome) }
    } catch {
      for wait in readings.removeValue(forKey: page) ?? [] { wait.tell(.failure(OperationError(error))) }
    }
  }

  private static func outcome(
    _ events: [StoredEvent], of page: ReadEvents.Page, _ log: EventLog
  ) -> Result<EventPage, OperationError> {
    guard let first = events.first, let last = events.last else {
      return .failure(.eventsGone(EventCursor(era: log.era, place: log.lastPlace)))
    }
    guard first.place == page.after + 1 else {
      return .failure(.eventsGone(EventCursor(era: log.era, place: first.place - 1)))
    }
    return .success(EventPage(events, cursor: EventCursor(era: log.era, place: last.place)))
  }
}
