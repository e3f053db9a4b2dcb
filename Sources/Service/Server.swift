import API
import Accounts
import Configuration
import EventLoop
import Glibc
import JSON
import JSONRPC
import Operations
import Postgres
import Store
import Synchronization
import UnixSocket

/// The daemon's service: sockets, workers and what they share.
///
/// `@unchecked Sendable`: everything but `state` is set before the workers start and never after; `state` has its mutex.
public final class Server: @unchecked Sendable {
  /// What the composition root knows and the service only tells.
  public struct Identity: Sendable {
    public let version: String
    /// The number of the last migration that this version works with.
    public let schemaVersion: Int
    public let isEmbedded: Bool

    public init(version: String, schemaVersion: Int, isEmbedded: Bool) {
      self.version = version
      self.schemaVersion = schemaVersion
      self.isEmbedded = isEmbedded
    }
  }

  /// How long what is in flight may take once the daemon is told to stop: ten seconds, less what closing takes.
  private static let stopMilliseconds: UInt64 = 9000
  /// Between attempts to reach the database for the first time.
  private static let databasePauseMilliseconds: UInt64 = 50

  private struct State {
    var generation = 0
    /// Numbers configurations in the order in which they were read, and the newest that is served.
    var configurationsRead = 0
    var configurationServed = -1
    var next = 0
    /// The workers that find the database read-only.
    var readOnlyWorkers: Set<ObjectIdentifier> = []
  }

  public let version: String
  public let schemaVersion: Int
  public let isEmbedded: Bool
  public let startedAt: Timestamp
  /// What `rpc.discover` answers, as JSON text; made once, because it takes a hundred times as long as any other answer.
  let interface: [UInt8]
  private let journal: Journal
  private let admission = Admission()
  private let startedNanoseconds = Clock.monotonicNanoseconds()
  private var workers: [Worker] = []
  private let state = Mutex(State())

  /// - Parameters:
  ///   - databases: how the workers reach PostgreSQL.
  public init(
    _ identity: Identity, configuration: Configuration, databases: Databases, journal: Journal,
    circumstances: Circumstances
  ) throws(EventLoopError) {
    version = identity.version
    schemaVersion = identity.schemaVersion
    isEmbedded = identity.isEmbedded
    startedAt = circumstances.now()
    var writer = JSONWriter()
    Response<RPCDiscover>(OpenRPC.document(apiVersion: identity.version)).encode(into: &writer)
    interface = writer.take()
    self.journal = journal
    let settings = ServiceSettings(generation: 0, configuration, namespaces: nil)
    for _ in 0..<configuration.eventLoopThreads {
      let loop = try EventLoop()
      let operations = WorkerOperations(on: loop, databases: databases, circumstances: circumstances)
      workers.append(
        Worker(
          on: loop, of: self, settings: settings, operations: operations, journal: journal,
          circumstances: circumstances))
    }
  }

  var uptimeSeconds: Int { Int((Clock.monotonicNanoseconds() - startedNanoseconds) / 1_000_000_000) }

  // MARK: Starting

  /// Starts the workers. They serve nobody before ``listen(on:)``.
  public func start() async throws(EventLoopError) {
    for (number, worker) in workers.enumerated() {
      try worker.loop.start(name: "kith-loop-\(number)")
      await onLoop(of: worker) { $0.start(isFirst: number == 0) }
    }
  }

  /// Answers on the sockets from now on.
  public func listen(on sockets: [ServiceSocket]) async throws(EventLoopError) {
    let failure = await onLoop(of: workers[0]) { [self] worker -> EventLoopError? in
      do throws(EventLoopError) {
        for socket in sockets { try listen(on: socket, worker.loop) }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func listen(on socket: ServiceSocket, _ loop: EventLoop) throws(EventLoopError) {
    let listener = try SocketListener(
      on: loop, descriptor: socket.descriptor, ownedPath: socket.ownedPath
    ) { [self] connection in
      accepted(connection, on: socket.role)
    }
    workers[0].listeners.append(listener)
  }

  /// Waits for the database, checks its schema, and lets the workers use it.
  ///
  /// - Throws: why it can never be used as it is.
  public func openDatabase(_ configuration: Configuration) async throws(DatabaseProblem) {
    let worker = workers[0]
    var wasTold = false
    while true {
      do throws(PostgresError) {
        for worker in workers { try await waitUntilOpen(worker) }
        try await use(configuration, number: 0, worker)
        return
      } catch {
        if let problem = DatabaseProblem(error) { throw problem }
        if !wasTold { journal.write(.warning, "waiting for the database: \(error)") }
        wasTold = true
        await worker.loop.pause(milliseconds: Self.databasePauseMilliseconds)
      }
    }
  }

  /// Without this a call that comes as soon as the daemon is ready could find a worker that is still connecting.
  private func waitUntilOpen(_ worker: Worker) async throws(PostgresError) {
    let failure = await Task(executorPreference: worker.loop) { () -> PostgresError? in
      do throws(PostgresError) {
        try await worker.operations.waitUntilOpen()
        return nil
      } catch {
        return error
      }
    }.value
    if let failure { throw failure }
  }

  /// - Returns: false if a newer configuration is served already.
  @discardableResult
  private func use(
    _ configuration: Configuration, number: Int, _ worker: Worker
  ) async throws(PostgresError) -> Bool {
    let outcome = await Task(executorPreference: worker.loop) {
      [schemaVersion] () -> Result<NamespaceDirectory, PostgresError> in
      do throws(PostgresError) {
        let pool = worker.operations.writes
        let found = try await Self.schemaVersion(in: try await pool.begin())
        guard found == schemaVersion else { throw .schemaMismatch(found: found, wanted: schemaVersion) }
        return .success(try await NamespaceDirectory.load(configuration.namespaces.map(\.namespace), from: pool))
      } catch {
        return .failure(error)
      }
    }.value
    return await change(to: configuration, number: number, try outcome.get())
  }

  private static func schemaVersion(in transaction: Transaction) async throws(PostgresError) -> Int? {
    var pipeline = Pipeline()
    let slot = pipeline.add(SchemaVersion.statement, ())
    return try await transaction.commit(pipeline, changes: false).first(of: slot) ?? nil
  }

  private func change(to configuration: Configuration, number: Int, _ directory: NamespaceDirectory) async -> Bool {
    let namespaces = configuration.namespaces.compactMap { entry in
      directory.number(of: entry.namespace).map { ServedNamespace(settings: entry.settings, number: $0) }
    }
    let generation: Int? = state.withLock { state in
      guard number > state.configurationServed else { return nil }
      state.configurationServed = number
      state.generation += 1
      return state.generation
    }
    guard let generation else { return false }
    let settings = ServiceSettings(generation: generation, configuration, namespaces: namespaces)
    for worker in workers { await onLoop(of: worker) { $0.change(to: settings) } }
    return true
  }

  /// Serves by another configuration from now on, open connections included, unless one that was read later is served by
  /// then: the database may answer for the later one first.
  ///
  /// - Returns: whether it is served.
  /// - Throws: why the database does not take it; then the old one stays.
  public func reload(_ configuration: Configuration) async throws(PostgresError) -> Bool {
    let number = state.withLock { state in
      state.configurationsRead += 1
      return state.configurationsRead
    }
    guard try await use(configuration, number: number, workers[0]) else { return false }
    journal.change(to: configuration.log)
    return true
  }

  /// Tells the journal once, whichever worker found it, and once more when all of them are past it.
  func databaseIs(readOnly isReadOnly: Bool, for worker: Worker) {
    let hasChanged = state.withLock { state in
      let before = state.readOnlyWorkers.isEmpty
      if isReadOnly {
        state.readOnlyWorkers.insert(ObjectIdentifier(worker))
      } else {
        state.readOnlyWorkers.remove(ObjectIdentifier(worker))
      }
      return state.readOnlyWorkers.isEmpty != before
    }
    guard hasChanged else { return }
    if isReadOnly {
      journal.write(
        .warning,
        "the database is read-only and takes no changes: it is a standby, or default_transaction_read_only is set")
    } else {
      journal.write(.info, "the database takes changes again")
    }
  }

  // MARK: Connections

  private func accepted(_ descriptor: Int32, on role: SocketRole) {
    guard let peer = PeerCredentials(ofSocket: descriptor) else {
      close(descriptor)
      return
    }
    let worker = workers[
      state.withLock { state in
        state.next = (state.next + 1) % workers.count
        return state.next
      }]
    let limit = workers[0].settings.limits.connectionsPerUIDMax
    let refusal: RPCError?
    switch admission.enter(peer.uid, max: limit) {
    case .welcome: refusal = nil
    case .overLimit: refusal = .limit(.connectionsPerUID, max: limit)
    case .farOverLimit:
      close(descriptor)
      return
    }
    if worker.loop.isCurrent {
      worker.serve(descriptor, of: peer, on: role, refusal: refusal)
    } else {
      worker.loop.perform { worker.serve(descriptor, of: peer, on: role, refusal: refusal) }
    }
  }

  func connectionEnded(of peer: PeerCredentials) { admission.leave(peer.uid) }

  /// What all workers have counted.
  func metrics() async -> Metrics {
    var total = Metrics(methodCount: MethodTable.complete.entries.count)
    for worker in workers {
      let counted = await onLoop(of: worker) { worker in
        worker.metrics.lastSignInsLeftOut = worker.operations.lastSignIns.leftOutCount
        return worker.metrics
      }
      total.add(counted)
    }
    return total
  }

  /// Returns when every worker has taken a turn.
  public func breathe() async {
    for worker in workers { await onLoop(of: worker) { _ in } }
  }

  // MARK: Ending

  /// Accepts no more, finishes what is in flight, and closes everything.
  public func stop() async {
    await onLoop(of: workers[0]) { worker in
      for listener in worker.listeners { listener.close() }
      worker.listeners = []
    }
    await withDiscardingTaskGroup { group in
      for worker in workers {
        group.addTask(executorPreference: worker.loop) {
          await worker.stop(withinMilliseconds: Self.stopMilliseconds)
        }
      }
    }
    // Calls that were given up may still end on the loops, and they reach for the worker and for this server.
    for worker in workers { await worker.loop.stopAndWait() }
  }

  private func onLoop<Value: Sendable>(
    of worker: Worker, _ body: @escaping @Sendable (Worker) -> Value
  ) async -> Value {
    await withUnsafeContinuation { continuation in
      worker.loop.perform { continuation.resume(returning: body(worker)) }
    }
  }
}

/// Why a database can never be used as it is.
public struct DatabaseProblem: Error, CustomStringConvertible {
  public let description: String
  public let hint: String

  fileprivate init?(_ error: PostgresError) {
    switch error {
    case .unavailable, .connectionLost, .commitUnknown, .readOnly:
      return nil
    case .server(let refusal) where refusal.state == .undefinedTable || refusal.state == .invalidSchemaName:
      description = "the database has no schema of Kith yet"
      hint = "make it with: kith migrate up"
    case .server(let refusal) where refusal.state == .insufficientPrivilege:
      description = "\(error)"
      hint = "connect as a user with the role kith_runtime"
    case .server(let refusal):
      guard refusal.state.code.hasPrefix("42") else { return nil }
      description = "\(error)"
      hint = "see which version the schema has with: kith migrate status"
    case .unexpectedAnswer(let what):
      description = what
      hint = "bring an older database to this version with: kith migrate up; a newer one needs a newer kithd"
    }
  }
}

extension PostgresError {
  fileprivate static func schemaMismatch(found: Int?, wanted: Int) -> PostgresError {
    .unexpectedAnswer(
      "the database's schema has version \(found.map(String.init) ?? "0"), and this kithd needs \(wanted)")
  }
}
