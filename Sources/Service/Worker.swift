import Accounts
import Configuration
import EventLoop
import JSON
import JSONRPC
import Operations
import Postgres
import Spool
import UnixSocket

/// Everything that lives on one event loop: its connections, its share of the database, and the operations between them.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only, `loop`, `server` and `journal`
/// apart, which are safe from anywhere.
final class Worker: @unchecked Sendable {
  /// How often frames under way are looked at.
  private static let tickMilliseconds: UInt64 = 1000
  /// How often what has served its time is dropped from the database.
  private static let purgeMilliseconds: UInt64 = 600_000

  /// Longer than nearly all answers, the description of the interface included.
  private static let keptWriterBytes = 262_144

  let loop: EventLoop
  unowned let server: Server
  let journal: Journal
  let methods: MethodTable
  let operations: WorkerOperations
  let decoder: MessageDecoder
  /// For whoever writes one answer now.
  var writer = JSONWriter()
  var metrics: Metrics
  /// Where this worker accepts connections for all of them.
  var listeners: [SocketListener] = []
  private(set) var settings: ServiceSettings
  private(set) var isStopping = false

  private var sessions: [ObjectIdentifier: Session] = [:]
  private var requestIDs: RequestIDs
  private var tick: LoopTimer?
  private var purge: LoopTimer?
  private var isDelivering = false
  private var whenEmpty: (() -> Void)?

  init(
    on loop: EventLoop, of server: Server, settings: ServiceSettings, operations: WorkerOperations, journal: Journal,
    circumstances: Circumstances
  ) {
    self.loop = loop
    self.server = server
    self.settings = settings
    self.operations = operations
    self.journal = journal
    methods = MethodTable.complete
    metrics = Metrics(methodCount: methods.entries.count)
    requestIDs = RequestIDs(random: circumstances.random().0)
    decoder = MessageDecoder(nestingMax: settings.limits.nestingMax, batchCallsMax: settings.limits.batchCallsMax)
  }

  /// - Parameter isFirst: whether this worker does what one of them has to do for all.
  func start(isFirst: Bool) {
    operations.writes.onReadOnly = { [unowned self] in server.databaseIs(readOnly: $0, for: self) }
    operations.start()
    if isFirst {
      lookAfterDatabase()
      server.details.onDemand { [unowned self] in loop.perform { [self] in deliverSoon() } }
    }
    tick = LoopTimer(
      on: loop, afterMilliseconds: Self.tickMilliseconds, everyMilliseconds: Self.tickMilliseconds
    ) { [unowned self] in
      for session in sessions.values { session.checkTime() }
      if isFirst { deliverSoon() }
    }
  }

  /// Brings what the spool keeps to the database, if anything waits and nobody is at it.
  func deliverKept() async {
    guard !isDelivering, operations.deliverKept.hasWork else { return }
    isDelivering = true
    let namespaces = settings.namespaces
    let outcome = await operations.deliverKept.runOnce { namespace in
      namespaces.first { $0.namespace == namespace }?.settings.trustsEmail ?? false
    }
    isDelivering = false
    if outcome.delivered > 0 {
      journal.write(.info, "\(outcome.delivered) sign-ins that were kept in the spool are in the database now")
    }
    if outcome.expired > 0 { journal.write(.warning, "\(outcome.expired) sign-ins in the spool had expired") }
    for problem in outcome.problems { journal.write(.error, "the spool has what cannot be used: \(problem)") }
    for (file, error) in outcome.undeliverable {
      journal.write(.error, "\(file) of the spool cannot be delivered and stays until the next start")
      switch error {
      case .sealing(let cause, let record): journal.write(.error, cause.journalText(of: record))
      case .unexpected(let cause): journal.write(.error, "\(cause)")
      case .refused, .proofRejected, .tokenRefused, .linkedElsewhere, .unknownOwner, .mergeRefused, .eventsGone,
        .unknownCursor, .tooManyConsumers,
        .databaseUnavailable, .storageFull:
        break
      }
    }
  }

  private func deliverSoon() {
    guard settings.generation > 0, !isDelivering, operations.deliverKept.hasWork else { return }
    Task(executorPreference: loop) { [self] in await deliverKept() }
  }

  private func lookAfterDatabase() {
    operations.reads.onAvailability = { [unowned self, reads = operations.reads] isUp in
      // Where no host takes changes that is told instead.
      guard isUp || !reads.isReadOnly else { return }
      journal.write(isUp ? .info : .warning, isUp ? "the database answers" : "the database cannot be reached")
      if isUp { deliverSoon() }
    }
    purge = LoopTimer(
      on: loop, afterMilliseconds: Self.purgeMilliseconds, everyMilliseconds: Self.purgeMilliseconds
    ) { [loop, operations, journal] in
      Task(executorPreference: loop) {
        let outcome = await operations.purgeExpired.runOnce()
        if let failure = outcome.failure { journal.write(.warning, "old rows could not be dropped: \(failure)") }
        do throws(SpoolError) {
          try await operations.deliverKept.removeExpired()
        } catch {
          journal.write(.warning, "what has expired in the spool could not be dropped: \(error)")
        }
      }
    }
  }

  /// Gives the writer's memory back after an answer of unusual length.
  func trimWriter() {
    writer.removeAll(keepingCapacity: writer.count <= Self.keptWriterBytes)
  }

  func nextRequestID() -> String { requestIDs.next() }

  func change(to settings: ServiceSettings) {
    guard settings.generation > self.settings.generation else { return }
    self.settings = settings
    decoder.nestingMax = settings.limits.nestingMax
    decoder.batchCallsMax = settings.limits.batchCallsMax
  }

  /// What the peer may do under the present settings; nil if nobody knows it.
  func access(of peer: PeerCredentials, on socket: SocketRole) -> Access? {
    caller(of: peer, on: socket).map {
      Access($0, peer: peer, methods: methods.names, namespaces: settings.namespaces)
    }
  }

  private func caller(of peer: PeerCredentials, on socket: SocketRole) -> Caller? {
    settings.callers.match(uid: peer.uid, gids: peer.gids, socket: socket)
  }

  // MARK: Sessions

  /// Takes over a connection.
  func serve(_ descriptor: Int32, of peer: PeerCredentials, on socket: SocketRole, refusal: RPCError?) {
    do {
      let refusal = refusal ?? (caller(of: peer, on: socket) == nil ? RPCError(.callerUnknown) : nil)
      let session = try Session(self, descriptor: descriptor, peer: peer, socket: socket, refusal: refusal)
      sessions[ObjectIdentifier(session)] = session
      metrics.connectionsOpen += 1
      if refusal == nil { metrics.connectionsAccepted += 1 } else { metrics.connectionsRefused += 1 }
    } catch {
      server.connectionEnded(of: peer)
      journal.write(.error, "a connection could not be served: \(error)")
    }
  }

  func sessionClosed(_ session: Session) {
    sessions[ObjectIdentifier(session)] = nil
    metrics.connectionsOpen -= 1
    server.connectionEnded(of: session.peer)
    if sessions.isEmpty { whenEmpty?() }
  }

  // MARK: Ending

  /// Finishes what is in flight and closes every connection. Returns when all are closed or the time is over.
  func stop(withinMilliseconds limit: UInt64) async {
    isStopping = true
    operations.eventFeed.stop()
    tick = nil
    purge = nil
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let once = OnceOnly { continuation.resume() }
      whenEmpty = { once.run() }
      let timer = LoopTimer(on: loop, afterMilliseconds: limit) { once.run() }
      once.kept = timer
      for session in sessions.values { session.closeWhenIdle() }
      if sessions.isEmpty { once.run() }
    }
    for session in sessions.values { session.closeNow() }
    await operations.stop()
  }
}

/// Does something the first time it is asked to.
private final class OnceOnly {
  private var action: (() -> Void)?
  /// Something that is let go of then.
  var kept: LoopTimer?

  init(_ action: @escaping () -> Void) { self.action = action }

  func run() {
    let action = self.action
    self.action = nil
    kept = nil
    action?()
  }
}
