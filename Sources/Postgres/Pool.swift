import EventLoop

/// A fixed number of connections that belong to one loop and come back by themselves when they break.
///
/// Its connections are shared for single pipelines (``run(_:commits:)``) or leased one at a time for transactions
/// (``begin()``). One that is leased is not shared: what somebody else ran on it would be part of the transaction.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class Pool: @unchecked Sendable {
  /// The wait before a broken connection is opened again grows from the first to the second.
  private static let backOffMilliseconds: ClosedRange<UInt64> = 20...320
  /// How much longer than PostgreSQL's own limits allow it may be silent.
  private static let silenceGraceMilliseconds: UInt64 = 3000
  private static let silenceCheckMilliseconds: UInt64 = 1000
  /// Callers that may wait for a connection; more are told to try again rather than to wait behind all of these.
  private static let waitersMax = 10_000

  public unowned let loop: EventLoop
  private let settings: ConnectionSettings
  private let size: Int

  private var open: [Connection] = []
  private var idle: [Connection] = []
  private var waiters: [(Result<Connection, PostgresError>) -> Void] = []
  /// Why the last attempt to connect failed; nil while connecting for the first time and when connected.
  private var lastFailure: PostgresError?
  private var isClosed = false
  private var silenceCheck: LoopTimer?
  /// Told when the first connection opens and when the last one is gone.
  public var onAvailability: ((Bool) -> Void)?
  /// Whether the database took no changes when that was last seen.
  public private(set) var isReadOnly = false
  /// Told whenever a transaction that changed something was committed.
  public var onCommit: (() -> Void)?
  /// Told when the database is found to take no changes, and when it takes them again.
  public var onReadOnly: ((Bool) -> Void)?

  /// - Parameter size: connections to keep.
  public init(_ settings: ConnectionSettings, size: Int, on loop: EventLoop) {
    self.settings = settings
    self.size = size
    self.loop = loop
  }

  /// Opens the connections and keeps them open until ``close()``. To be called on the loop.
  public func start() {
    silenceCheck = LoopTimer(
      on: loop, afterMilliseconds: Self.silenceCheckMilliseconds, everyMilliseconds: Self.silenceCheckMilliseconds
    ) { [unowned self] in
      for connection in open { connection.closeIfSilent(graceMilliseconds: Self.silenceGraceMilliseconds) }
    }
    for _ in 0..<size { keepOneOpen() }
  }

  /// Closes every connection. What is in flight fails.
  public func close() {
    isClosed = true
    silenceCheck = nil
    for connection in open { connection.close() }
    failWaiters(.unavailable("closed"))
  }

  public var isAvailable: Bool { !open.isEmpty }

  /// The least busy connection that nobody leases, for a pipeline that is a transaction of its own; of several the one that
  /// was free last.
  public func leastBusy() throws(PostgresError) -> Connection {
    var best: Connection?
    for connection in idle {
      if let found = best, found.inFlightCount < connection.inFlightCount { continue }
      best = connection
    }
    if let best { return best }
    throw noConnection
  }

  /// The connection that nobody has leased for longest: for short pipelines that come one upon the other. PostgreSQL answers
  /// them faster with one process that hardly sleeps than with several that wake up in turns.
  ///
  /// One that owes answers for longer than `patience` is passed over for one that does not.
  public func first(patienceMilliseconds patience: UInt64) throws(PostgresError) -> Connection {
    if let first = idle.first(where: { !$0.owesAnswers(forMilliseconds: patience) }) ?? idle.first { return first }
    throw noConnection
  }

  private var noConnection: PostgresError {
    lastFailure ?? .unavailable(open.isEmpty ? "not connected yet" : "every connection is leased")
  }

  /// Runs a pipeline that is a transaction of its own on the least busy connection.
  public func run(_ pipeline: Pipeline, commits: Bool = false) async throws(PostgresError) -> PipelineResults {
    try await leastBusy().run(pipeline, commits: commits)
  }

  public func rows<Input, Row>(
    _ statement: Statement<Input, Row>, _ input: Input
  ) async throws(PostgresError) -> [Row] {
    try await leastBusy().rows(statement, input)
  }

  /// Leases a connection for one transaction, waiting for one if all are taken.
  ///
  /// Fails at once while the database is known to be out of reach.
  public func begin() async throws(PostgresError) -> Transaction {
    Transaction(on: try await lease(), of: self)
  }

  /// Returns once a connection is open.
  ///
  /// - Throws: why the first attempt to open one failed.
  public func waitUntilOpen() async throws(PostgresError) {
    giveBack(try await lease())
  }

  // MARK: Leases

  private func lease() async throws(PostgresError) -> Connection {
    if let connection = idle.popLast() { return connection }
    if let lastFailure, open.isEmpty { throw lastFailure }
    guard waiters.count < Self.waitersMax, !isClosed else { throw .unavailable("too many wait for a connection") }
    return try await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Connection, PostgresError>, Never>) in
      waiters.append { continuation.resume(returning: $0) }
    }.get()
  }

  func giveBack(_ connection: Connection) {
    guard connection.isOpen, !isClosed else { return }
    if let reason = connection.givenUp { return connection.close(reason) }
    guard waiters.isEmpty else {
      waiters.removeFirst()(.success(connection))
      return
    }
    idle.append(connection)
  }

  private func failWaiters(_ error: PostgresError) {
    let failed = waiters
    waiters = []
    for waiter in failed { waiter(.failure(error)) }
  }

  // MARK: Read-only servers

  private static let readOnlyQuestion = Statement<Void, Bool>(
    "is_read_only", "select current_setting('transaction_read_only')::boolean"
  ) { row throws(PostgresError) in try row.bool() }

  /// Asks whether the database takes no changes, on a connection for transactions.
  public func askWhetherReadOnly() async throws(PostgresError) -> Bool {
    var pipeline = Pipeline()
    let slot = pipeline.add(Self.readOnlyQuestion, ())
    let found = try await begin().commit(pipeline, changes: false).first(of: slot) ?? false
    if found { foundReadOnly(.readOnly("transaction_read_only is on")) } else { note(isReadOnly: false) }
    return found
  }

  /// Gives the present connections up for new ones: another host may take changes, or this one by now, but for sessions that
  /// began before.
  func foundReadOnly(_ error: PostgresError) {
    note(isReadOnly: true)
    for connection in open { connection.givenUp = error }
    for connection in idle { connection.close(error) }
  }

  func note(isReadOnly found: Bool) {
    guard isReadOnly != found else { return }
    isReadOnly = found
    onReadOnly?(found)
  }

  // MARK: Keeping connections open

  private func keepOneOpen() {
    Task(executorPreference: loop) { [self] in
      var backOff = Self.backOffMilliseconds.lowerBound
      while !isClosed {
        do throws(PostgresError) {
          let connection = try await Connection.open(settings, on: loop)
          let openedMilliseconds = loop.nowMilliseconds
          await serve(connection)
          // Something that ends connections as soon as they are open must not have us open them without a pause.
          if loop.nowMilliseconds >= openedMilliseconds + Self.backOffMilliseconds.upperBound {
            backOff = Self.backOffMilliseconds.lowerBound
            continue
          }
        } catch {
          if case .readOnly = error { note(isReadOnly: true) }
          failed(error)
        }
        await loop.pause(milliseconds: backOff)
        backOff = min(backOff * 2, Self.backOffMilliseconds.upperBound)
      }
    }
  }

  /// Lends the connection out until it is gone.
  private func serve(_ connection: Connection) async {
    guard !isClosed else { return connection.close() }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      connection.onClose = { [self] error in
        open.removeAll { $0 === connection }
        idle.removeAll { $0 === connection }
        if open.isEmpty { failed(error) }
        continuation.resume()
      }
      lastFailure = nil
      open.append(connection)
      if let found = connection.isReadOnly { note(isReadOnly: found) }
      if open.count == 1 { onAvailability?(true) }
      giveBack(connection)
    }
  }

  private func failed(_ error: PostgresError) {
    guard open.isEmpty else { return }
    if lastFailure == nil, !isClosed { onAvailability?(false) }
    lastFailure = error
    failWaiters(error)
  }
}
