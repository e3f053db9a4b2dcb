import CLibPQ
import EventLoop

/// One connection to PostgreSQL in libpq's pipeline mode: pipelines go out as they are submitted and are answered in order,
/// any number in flight.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class Connection: @unchecked Sendable, EndOfTurn {
  /// What a pipeline came to.
  public typealias Outcome = Result<PipelineResults, PostgresError>

  /// What is expected of PostgreSQL next, in order.
  private enum Expectation {
    case prepared(String)
    case result
  }

  private struct InFlight {
    let expectations: [Expectation]
    let commits: Bool
    let startedMilliseconds: UInt64
    let completion: (Outcome) -> Void
    var answered = 0
    var results: [QueryResult] = []
    var failure: ServerError?
  }

  private struct Waiting {
    let pipeline: Pipeline
    let commits: Bool
    let completion: (Outcome) -> Void
  }

  public unowned let loop: EventLoop
  /// Called once, when the connection is gone.
  public var onClose: ((PostgresError) -> Void)?

  let settings: ConnectionSettings
  /// Why it is to be closed as soon as nobody leases it.
  var givenUp: PostgresError?
  private var handle: OpaquePointer?
  private var watch: DescriptorWatch?
  /// Names that PostgreSQL has said are prepared.
  private var prepared: Set<String> = []
  /// Names that a pipeline in flight prepares, which may fail.
  private var preparing: Set<String> = []
  private var inFlight: [InFlight] = []
  /// What is not sent before the one in flight is answered.
  private var waiting: [Waiting] = []
  /// When PostgreSQL last sent something.
  private var heardMilliseconds: UInt64 = 0
  private var isFlushDue = false

  /// Takes over a handle that is connected, and puts it into pipeline mode.
  init(_ handle: OpaquePointer, settings: ConnectionSettings, on loop: EventLoop) throws(PostgresError) {
    self.loop = loop
    self.settings = settings
    self.handle = handle
    PQsetnonblocking(handle, 1)
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
    guard PQenterPipelineMode(handle) == 1 else { throw .unavailable("pipeline mode is refused") }
    do {
      watch = try DescriptorWatch(on: loop, descriptor: PQsocket(handle)) { [unowned self] in ready($0) }
      watch?.watch(for: .readable)
    } catch {
      throw .unavailable("\(error)")
    }
  }

  deinit {
    watch?.close()
    PQfinish(handle)
  }

  public var isOpen: Bool { handle != nil }

  /// Pipelines submitted and not yet answered.
  public var inFlightCount: Int { inFlight.count + waiting.count }

  /// The server's version as libpq tells it: 150018 is 15.18.
  public var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// Whether the server says that it takes no changes; nil where nobody says, as behind PgBouncer.
  var isReadOnly: Bool? {
    guard let isStandby = isOn("in_hot_standby"), let isByDefault = isOn("default_transaction_read_only") else {
      return nil
    }
    return isStandby || isByDefault
  }

  /// A setting that the server reports by itself when it changes.
  private func isOn(_ setting: String) -> Bool? {
    PQparameterStatus(handle, setting).map { String(cString: $0) == "on" }
  }

  /// Sends a pipeline and calls back on the loop when all of it is answered.
  ///
  /// With transaction pooling one pipeline is in flight at a time: PgBouncer hands out a server's connection for one
  /// transaction, and would tell several apart by luck.
  ///
  /// - Parameter isUrgent: whether it leaves at once rather than with others at the end of the turn.
  /// - Parameter commits: whether the pipeline ends a transaction that changed something. Then a break of the connection
  ///   before the answer is ``PostgresError/commitUnknown(_:)``.
  public func submit(
    _ pipeline: Pipeline, commits: Bool, isUrgent: Bool = false, completion: @escaping (Outcome) -> Void
  ) {
    guard let handle else {
      completion(.failure(.unavailable("the connection is closed")))
      return
    }
    guard settings.pooling == .session || inFlight.isEmpty else {
      return waiting.append(Waiting(pipeline: pipeline, commits: commits, completion: completion))
    }
    var expectations: [Expectation] = []
    expectations.reserveCapacity(pipeline.steps.count)
    for step in pipeline.steps {
      guard send(step, on: handle, expecting: &expectations) else {
        let error = PostgresError.connectionLost(message)
        close(error)
        return completion(.failure(error))
      }
    }
    inFlight.append(
      InFlight(
        expectations: expectations, commits: commits, startedMilliseconds: loop.nowMilliseconds,
        completion: completion))
    guard PQpipelineSync(handle) == 1 else { return close(.connectionLost(message)) }
    if isUrgent { return flush() }
    guard !isFlushDue else { return }
    isFlushDue = true
    loop.atEndOfTurn(self)
  }

  /// Sends a pipeline that is a transaction of its own and waits for its results.
  public func run(_ pipeline: Pipeline, commits: Bool) async throws(PostgresError) -> PipelineResults {
    try await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
      submit(pipeline, commits: commits) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Runs a single statement and gives its rows.
  public func rows<Input, Row>(
    _ statement: Statement<Input, Row>, _ input: Input, commits: Bool = false
  ) async throws(PostgresError) -> [Row] {
    var pipeline = Pipeline()
    let slot = pipeline.add(statement, input)
    return try await run(pipeline, commits: commits).rows(of: slot)
  }

  public func close() {
    close(.unavailable("closed"))
  }

  /// Gives the connection up if PostgreSQL has not answered for so long that it must be out of reach.
  ///
  /// PostgreSQL's own limits end what runs too long; this one is for a peer that says nothing at all. PostgreSQL sends what a
  /// pipeline's statements gave when the last is done, so each of them may take as long as a statement may.
  ///
  /// - Parameter grace: milliseconds beyond what PostgreSQL allows the statements: for the way there and back, and for a
  ///   COMMIT, which PostgreSQL does not limit.
  func closeIfSilent(graceMilliseconds grace: UInt64) {
    guard isSilent(graceMilliseconds: grace) else { return }
    // After a pause of our own the answer may be there and only unread.
    ready(.readable)
    guard isSilent(graceMilliseconds: grace) else { return }
    close(.connectionLost("no answer for \(allowanceMilliseconds + grace) ms"))
  }

  private func isSilent(graceMilliseconds grace: UInt64) -> Bool {
    owesAnswers(forMilliseconds: allowanceMilliseconds + grace)
  }

  /// Whether PostgreSQL has said nothing for so long although it was asked.
  func owesAnswers(forMilliseconds limit: UInt64) -> Bool {
    guard let oldest = inFlight.first else { return false }
    return loop.nowMilliseconds > max(oldest.startedMilliseconds, heardMilliseconds) + limit
  }

  /// How long PostgreSQL's limits let it work on the oldest pipeline without a word.
  private var allowanceMilliseconds: UInt64 {
    guard let oldest = inFlight.first else { return 0 }
    let unanswered = oldest.expectations.dropFirst(oldest.answered).count {
      if case .result = $0 { true } else { false }
    }
    return UInt64(max(unanswered, 1) * settings.limits.statementMilliseconds)
  }

  public func turnEnded() {
    isFlushDue = false
    flush()
  }

  // MARK: Sending

  private func send(_ step: Pipeline.Step, on handle: OpaquePointer, expecting: inout [Expectation]) -> Bool {
    step.sql.withUTF8Buffer { text in
      step.name.withCString { name in
        let sql = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
        let isPrepared = settings.pooling == .session && prepared.contains(step.name)
        if !isPrepared, settings.pooling == .transaction || isBeingPrepared(step.name, apartFrom: expecting) {
          expecting.append(.result)
          return step.parameters.withLibpqArrays { count, values, lengths, formats in
            PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1) == 1
          }
        }
        if !isPrepared, preparing.insert(step.name).inserted {
          expecting.append(.prepared(step.name))
          guard PQsendPrepare(handle, name, sql, 0, nil) == 1 else { return false }
        }
        expecting.append(.result)
        return step.parameters.withLibpqArrays { count, values, lengths, formats in
          PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
      }
    }
  }

  /// Whether another pipeline, which may fail and take the statement with it, is about to prepare it.
  private func isBeingPrepared(_ name: String, apartFrom own: [Expectation]) -> Bool {
    preparing.contains(name)
      && !own.contains { if case .prepared(name) = $0 { true } else { false } }
  }

  private func flush() {
    guard let handle else { return }
    switch PQflush(handle) {
    case 0: watch?.watch(for: .readable)
    case 1: watch?.watch(for: [.readable, .writable])
    default: close(.connectionLost(message))
    }
  }

  // MARK: Receiving

  private func ready(_ readiness: DescriptorWatch.Readiness) {
    guard let handle else { return }
    if readiness.contains(.readable) {
      guard PQconsumeInput(handle) == 1 else {
        takeResults()
        return close(.connectionLost(message))
      }
      takeResults()
    }
    if readiness.contains(.writable), self.handle != nil { flush() }
  }

  private func takeResults() {
    // libpq gives nil between the results of two statements; two in a row mean that there is nothing to come.
    var gaps = 0
    while let handle, !inFlight.isEmpty, gaps < 2, PQisBusy(handle) == 0 {
      guard let result = PQgetResult(handle) else {
        gaps += 1
        continue
      }
      gaps = 0
      take(result)
    }
  }

  private func take(_ result: OpaquePointer) {
    heardMilliseconds = loop.nowMilliseconds
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC:
      PQclear(result)
      finishFirst()
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
      let expectation = inFlight[0].expectations[inFlight[0].answered]
      inFlight[0].answered += 1
      if case .prepared(let name) = expectation {
        PQclear(result)
        preparing.remove(name)
        prepared.insert(name)
      } else {
        inFlight[0].results.append(QueryResult(owning: result))
      }
    default:
      let error = ServerError(result)
      let wasAborted = PQresultStatus(result) == PGRES_PIPELINE_ABORTED
      PQclear(result)
      fail(error, wasAborted: wasAborted)
    }
  }

  private func fail(_ error: ServerError, wasAborted: Bool) {
    if error.endsSession, !wasAborted { return close(.connectionLost(error.message)) }
    if inFlight[0].answered < inFlight[0].expectations.count,
      case .prepared(let name) = inFlight[0].expectations[inFlight[0].answered]
    {
      preparing.remove(name)
    }
    inFlight[0].answered += 1
    if inFlight[0].failure == nil, !wasAborted { inFlight[0].failure = error }
  }

  private func finishFirst() {
    let done = inFlight.removeFirst()
    if !waiting.isEmpty {
      let next = waiting.removeFirst()
      submit(next.pipeline, commits: next.commits, completion: next.completion)
    }
    if let failure = done.failure {
      done.completion(.failure(PostgresError(failure)))
    } else {
      done.completion(.success(PipelineResults(done.results)))
    }
  }

  private var message: String {
    handle.map { String(cString: PQerrorMessage($0)) } ?? "closed"
  }

  /// - Parameter error: why; what is in flight fails with it.
  func close(_ error: PostgresError) {
    guard let handle else { return }
    self.handle = nil
    watch?.close()
    watch = nil
    PQfinish(handle)
    let (abandoned, unsent) = (inFlight, waiting)
    inFlight = []
    waiting = []
    for unit in abandoned {
      unit.completion(.failure(unit.commits ? .commitUnknown("\(error)") : .connectionLost("\(error)")))
    }
    for unit in unsent { unit.completion(.failure(.connectionLost("\(error)"))) }
    onClose?(error)
    onClose = nil
  }
}

extension Connection {
  /// Runs a script of several statements by the simple protocol; for migrations.
  ///
  /// The connection must have nothing else in flight. Blocks its loop until the script is through, so it belongs on a loop
  /// that serves nobody.
  public func script(_ sql: String) throws(PostgresError) {
    guard let handle, inFlight.isEmpty, PQexitPipelineMode(handle) == 1 else {
      throw .unavailable("the connection is busy")
    }
    PQsetnonblocking(handle, 0)
    defer {
      PQsetnonblocking(handle, 1)
      PQenterPipelineMode(handle)
    }
    guard let result = PQexec(handle, sql) else { throw .connectionLost(message) }
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default:
      if PQstatus(handle) == CONNECTION_BAD { throw .connectionLost(message) }
      throw PostgresError(ServerError(result))
    }
  }
}
