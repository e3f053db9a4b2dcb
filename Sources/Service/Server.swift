import API
import Accounts
import Configuration
import EventLoop
import Glibc
import JSON
import JSONRPC
import Operations
import Postgres
import Spool
import Store
import Synchronization
import UnixSocket
import Vault

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
    /// How far apps are behind the events, as of the last time that somebody asked.
    var consumers: [Consumers.Lag] = []
  }

  public let version: String
  public let schemaVersion: Int
  public let isEmbedded: Bool
  public let startedAt: Timestamp
  /// What `rpc.discover` answers, as JSON text; made once, because it takes a hundred times as long as any other answer.
  let interface: [UInt8]
  private let journal: Journal
  private let sealer: SharedSealer
  let details: DetailsSpool
  private let admission = Admission()
  private let startedNanoseconds = Clock.monotonicNanoseconds()
  private var workers: [Worker] = []
  private let state = Mutex(State())

  /// - Parameters:
  ///   - databases: how the workers reach PostgreSQL.
  ///   - keyRing: what is sealed with, until another keyset is read.
  ///   - spool: where what sign-ins bring waits while there is no database.
  public init(
    _ identity: Identity, configuration: Configuration, databases: Databases, keyRing: KeyRing,
    spool: Spool, journal: Journal, circumstances: Circumstances
  ) throws(EventLoopError) {
    version = identity.version
    schemaVersion = identity.schemaVersion
    isEmbedded = identity.isEmbedded
    startedAt = circumstances.now()
    var writer = JSONWriter()
    Response<RPCDiscover>(OpenRPC.document(apiVersion: identity.version)).encode(into: &writer)
    interface = writer.take()
    self.journal = journal
    let sealer = SharedSealer(keyRing, databaseID: spool.databaseID)
    self.sealer = sealer
    let details = DetailsSpool(spool, sealer: sealer) { [journal] in journal.write(.error, $0) }
    self.details = details
    for problem in spool.problemsAtStart { journal.write(.error, "the spool has what cannot be used: \(problem)") }
    let settings = ServiceSettings(generation: 0, configuration, directory: nil)
    let commits = CommitSignal()
    for _ in 0..<configuration.eventLoopThreads {
      let loop = try EventLoop()
      let operations = WorkerOperations(
        on: loop, databases: databases, sealer: sealer, details: details, commits: commits,
        circumstances: circumstances)
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
      do throws(ServingProblem) {
        for worker in workers { try await waitUntilOpen(worker) }
        try await use(configuration, sealer.keyRing, number: 0, worker)
        await onLoopAsync(of: worker) { await $0.deliverKept() }
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
  private func waitUntilOpen(_ worker: Worker) async throws(ServingProblem) {
    let failure = await Task(executorPreference: worker.loop) { () -> PostgresError? in
      do throws(PostgresError) {
        try await worker.operations.waitUntilOpen()
        return nil
      } catch {
        return error
      }
    }.value
    if let failure { throw .database(failure) }
  }

  /// - Returns: false if a newer configuration is served already.
  @discardableResult
  private func use(
    _ configuration: Configuration, _ keyRing: KeyRing, number: Int, _ worker: Worker
  ) async throws(ServingProblem) -> Bool {
    let outcome = await Task(executorPreference: worker.loop) {
      [schemaVersion, sealer, details, journal] () -> Result<NamespaceDirectory, ServingProblem> in
      do throws(PostgresError) {
        let pool = worker.operations.writes
        let found = try await Self.identity(in: try await pool.begin())
        guard found.schemaVersion == schemaVersion else {
          throw .schemaMismatch(found: found.schemaVersion, wanted: schemaVersion)
        }
        guard let id = found.id else { throw .unexpectedAnswer("the database has no id") }
        let problem = try await KeyProblem.look(
          keyRing, databaseID: id, spooled: await Self.keys(of: details.spool, for: id, journal, on: worker.loop),
          reads: worker.operations.reads, writes: pool)
        if let problem { return .failure(.keys(problem)) }
        sealer.use(databaseID: id)
        await Self.learn(id, details.spool, journal, on: worker.loop)
        return .success(try await NamespaceDirectory.load(configuration.namespaces.map(\.namespace), from: pool))
      } catch {
        return .failure(.database(error))
      }
    }.value
    return await change(to: configuration, keyRing, number: number, try outcome.get())
  }

  /// Remembers which database is served, for a start without it.
  private static func learn(_ id: UniqueID, _ spool: Spool, _ journal: Journal, on loop: EventLoop) async {
    do throws(SpoolError) {
      guard let problem = try await spool.learn(databaseID: id, on: loop) else { return }
      journal.write(.warning, "what the spool keeps for another database stays there: \(problem)")
    } catch {
      journal.write(.error, "the spool cannot remember which database this is: \(error)")
    }
  }

  /// The keys of what waits in the spool; a file that cannot be read now does not keep the database from being served.
  private static func keys(
    of spool: Spool, for id: UniqueID, _ journal: Journal, on loop: EventLoop
  ) async -> Set<KeyID> {
    do throws(SpoolError) {
      return try await spool.keysInUse(for: id, on: loop)
    } catch {
      journal.write(.error, "the spool cannot be read: \(error)")
      return []
    }
  }

  private static func identity(
    in transaction: Transaction
  ) async throws(PostgresError) -> (schemaVersion: Int?, id: UniqueID?) {
    var pipeline = Pipeline()
    let version = pipeline.add(SchemaVersion.statement, ())
    let id = pipeline.add(DatabaseIdentity.statement, ())
    let results = try await transaction.commit(pipeline, changes: false)
    return (try results.first(of: version) ?? nil, try results.first(of: id))
  }

  private func change(
    to configuration: Configuration, _ keyRing: KeyRing, number: Int, _ directory: NamespaceDirectory
  ) async -> Bool {
    let generation: Int? = state.withLock { state in
      guard number > state.configurationServed else { return nil }
      state.configurationServed = number
      state.generation += 1
      sealer.use(keyRing)
      return state.generation
    }
    guard let generation else { return false }
    let settings = ServiceSettings(generation: generation, configuration, directory: directory)
    for worker in workers { await onLoop(of: worker) { $0.change(to: settings) } }
    return true
  }

  /// Serves by another configuration from now on, open connections included, unless one that was read later is served by
  /// then: the database may answer for the later one first.
  ///
  /// - Parameter keyRing: what is sealed with then.
  /// - Returns: whether it is served.
  /// - Throws: why the database does not take it; then the old one stays, and the old keys.
  public func reload(
    _ configuration: Configuration, keyRing: KeyRing
  ) async throws(ServingProblem) -> Bool {
    let number = state.withLock { state in
      state.configurationsRead += 1
      return state.configurationsRead
    }
    guard try await use(configuration, keyRing, number: number, workers[0]) else { return false }
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

  /// How far apps are behind the events, as of the last time that this was asked: nobody waits for the database.
  func consumers(by worker: Worker) -> [Consumers.Lag] {
    Task(executorPreference: worker.loop) {
      guard let found = try? await worker.operations.listConsumers.all() else { return }
      self.state.withLock { $0.consumers = found }
    }
    return state.withLock(\.consumers)
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

  private func onLoopAsync(of worker: Worker, _ body: @escaping @Sendable (Worker) async -> Void) async {
    await Task(executorPreference: worker.loop) { await body(worker) }.value
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

  fileprivate init?(_ problem: ServingProblem) {
    switch problem {
    case .keys(let keys):
      self.init(description: "\(keys)", hint: keys.hint)
    case .database(let error):
      self.init(error)
    }
  }

  private init(description: String, hint: String) {
    self.description = description
    self.hint = hint
  }

  private init?(_ error: PostgresError) {
    switch error {
    case .unavailable, .connectionLost, .commitUnknown, .readOnly:
      return nil
    case .server(let refusal) where refusal.state == .undefinedTable || refusal.state == .invalidSchemaName:
      self.init(description: "the database has no schema of Kith yet", hint: "make it with: kith migrate up")
    case .server(let refusal) where refusal.state == .insufficientPrivilege:
      self.init(description: "\(error)", hint: "connect as a user with the role kith_runtime")
    case .server(let refusal):
      guard refusal.state.code.hasPrefix("42") else { return nil }
      self.init(description: "\(error)", hint: "see which version the schema has with: kith migrate status")
    case .unexpectedAnswer(let what):
      self.init(
        description: what,
        hint: "bring an older database to this version with: kith migrate up; a newer one needs a newer kithd")
    }
  }
}

extension PostgresError {
  fileprivate static func schemaMismatch(found: Int?, wanted: Int) -> PostgresError {
    .unexpectedAnswer(
      "the database's schema has version \(found.map(String.init) ?? "0"), and this kithd needs \(wanted)")
  }
}
