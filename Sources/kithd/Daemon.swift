import API
import Accounts
import Configuration
import EmbeddedPostgres
import EventLoop
import Glibc
import Migrations
import Operations
import Postgres
import Schema
import Spool
import Service
import Terminal
import UnixSocket
import Vault

/// The composition root: puts the daemon together, runs it until it is told to stop, and takes it apart again.
///
/// `@unchecked Sendable`: it belongs to the main loop and is touched on that loop's thread only.
final class Daemon: @unchecked Sendable {
  /// How long the start waits for a database that is away; then the daemon serves what it can without.
  private static let databaseWaitMilliseconds: UInt64 = 5000

  private let loop: EventLoop
  private let source: ConfigurationSource
  private let migrates: Bool
  private let configuration: Configuration
  private let journal: Journal
  private let manager = ServiceManager()
  private let stopRequests = StopRequests()
  private let circumstances = Circumstances(now: Clock.now) {
    var generator = SystemRandomNumberGenerator()
    return (generator.next(), generator.next())
  }
  private var embedded: EmbeddedPostgres?
  private var isReady = false
  /// The daemon's own keyset, if this start has made it.
  private var newKeyset: String?

  init(_ context: LaunchContext) throws(CommandFailure) {
    loop = context.loop
    source = context.source
    configuration = try source.loadOrFail()
    // Nobody else can: an embedded database is down when its daemon is.
    migrates = context.arguments.contains(.migrate) || configuration.database == .embedded
    journal = Journal(
      configuration.log, to: context.errors, isReadByJournal: ServiceManager.journalReadsErrors, now: Clock.now)
  }

  func run() async throws(CommandFailure) {
    ProcessLimits.prepare()
    if source.isForTryingOut {
      journal.write(.info, "no configuration file: everything is allowed to uid \(geteuid()); this is for trying out")
      let sockets = configuration.sockets
      journal.write(.info, "state in \(configuration.stateFolder), sockets \(sockets.app) and \(sockets.admin)")
    }
    try checkStateFolder()
    let signals = try listenToSignals()
    defer { for signal in signals { signal.cancel() } }
    // Before a cluster is started that could not be served.
    try DaemonKeyset(configuration).check()
    guard configuration.database == .embedded else { return try await serve() }
    try await withEmbeddedPostgres { () throws(CommandFailure) in try await serve() }
  }

  /// Refuses a folder that is not ours alone. Looked at before it is made, and once more when it is there: somebody else may
  /// make it first where all may write.
  private func checkStateFolder() throws(CommandFailure) {
    do throws(StateFolder.Problem) {
      try StateFolder.check(configuration.stateFolder, owner: geteuid())
    } catch {
      throw CommandFailure(.failed, "the state folder: \(error.message)", hint: error.hint)
    }
  }

  // MARK: The database

  private func withEmbeddedPostgres(_ body: () async throws(CommandFailure) -> Void) async throws(CommandFailure) {
    let cluster: EmbeddedPostgres
    do throws(EmbeddedPostgresError) {
      cluster = try EmbeddedPostgres(
        stateFolder: configuration.stateFolder, on: loop,
        log: { [journal] line in journal.write(.debug, "postgres: \(line)") },
        changed: { [journal] state in
          if case .down(let why) = state { journal.write(.error, "the embedded PostgreSQL went down: \(why)") }
        })
    } catch {
      throw CommandFailure(error)
    }
    try checkStateFolder()
    do throws(EmbeddedPostgresError) {
      try await cluster.start()
    } catch {
      throw CommandFailure(error)
    }
    embedded = cluster
    let supervision = Task(executorPreference: loop) { try? await cluster.run() }
    defer { embedded = nil }
    do throws(CommandFailure) {
      try await body()
    } catch {
      supervision.cancel()
      await supervision.value
      throw error
    }
    supervision.cancel()
    await supervision.value
  }

  private func migrate() async throws(CommandFailure) {
    do throws(MigrationError) {
      let migrator = try await Migrator.open(conninfo: ownerConninfo, on: loop)
      try await migrator.up { [journal] script in journal.write(.info, "applied \(script)") }
      await migrator.close()
    } catch {
      throw CommandFailure(.failed, error.description, hint: error.hint)
    }
  }

  private var ownerConninfo: String {
    if let embedded { return embedded.conninfo(for: .owner) }
    return (configuration.migrateDatabase ?? configuration.database.conninfo)?.text ?? ""
  }

  private func databases() throws(CommandFailure) -> Databases {
    let pooling: ConnectionSettings.Pooling = configuration.databasePooler == .transaction ? .transaction : .session
    func settings(_ conninfo: String, needsWrites: Bool) throws(PostgresError) -> ConnectionSettings {
      try ConnectionSettings(
        conninfo: conninfo, applicationName: "kithd", pooling: pooling, needsWrites: needsWrites)
    }
    do throws(PostgresError) {
      let main = embedded?.conninfo(for: .runtime) ?? configuration.database.conninfo?.text ?? ""
      let standby = configuration.readDatabase?.text
      return Databases(
        main: try settings(main, needsWrites: true),
        standby: try standby.map { standby throws(PostgresError) in try settings(standby, needsWrites: false) })
    } catch {
      throw CommandFailure(.failed, error.description, hint: "see database in the configuration")
    }
  }

  // MARK: Serving

  private func serve() async throws(CommandFailure) {
    if migrates { try await migrate() }
    let server = try await startServer()
    // Whoever connects from here on waits until the database is open, or has been waited for long enough.
    let sockets = try openSockets()
    let patience = LoopTimer(on: loop, afterMilliseconds: Self.databaseWaitMilliseconds) { [self] in
      Task(executorPreference: loop) { [self] in await listen(server, on: sockets) }
    }
    Task(executorPreference: loop) { [self] in
      do throws(DatabaseProblem) {
        try await server.openDatabase(configuration)
        await listen(server, on: sockets)
      } catch {
        // It has sealed nothing, and would be taken for the one that is gone.
        if let newKeyset { unlink(newKeyset) }
        stopRequests.stop(CommandFailure(.failed, error.description, hint: error.hint))
      }
    }
    let watchdog = manager.watchdog(on: loop) { await server.breathe() }
    let failure = await stopRequests.next()
    journal.write(.info, "stopping")
    patience.cancel()
    watchdog?.cancel()
    manager.notify("STOPPING=1")
    await server.stop()
    if let failure { throw failure }
  }

  private func startServer() async throws(CommandFailure) -> Server {
    let databases = try databases()
    let spool = try spool()
    let keyset = DaemonKeyset(configuration)
    newKeyset = keyset.ownFile.flatMap { access($0, F_OK) == 0 ? nil : $0 }
    // What waits in the spool was sealed with a keyset that must be somewhere.
    let keyRing = try keyset.keyRing(mayMakeFile: spool.summary.files == 0)
    if let file = keyset.ownFile {
      journal.write(
        .info, "the keyset is \(file): back it up, apart from the database; what is sealed is lost without it")
    }
    do throws(EventLoopError) {
      let server = try Server(
        Server.Identity(
          version: KithVersion.current, schemaVersion: Schema.version, isEmbedded: embedded != nil),
        configuration: configuration, databases: databases, keyRing: keyRing, spool: spool, journal: journal,
        circumstances: circumstances)
      reloads = { [self] in await reload(server) }
      try await server.start()
      return server
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
  }

  private func spool() throws(CommandFailure) -> Spool {
    // systemd makes it; whoever starts the daemon by hand need not.
    mkdir(configuration.stateFolder, 0o700)
    do throws(SpoolError) {
      return try Spool(folder: configuration.stateFolder + "/spool")
    } catch {
      throw CommandFailure(.failed, error.description, hint: error.hint)
    }
  }

  private func openSockets() throws(CommandFailure) -> [ServiceSocket] {
    do throws(SocketError) {
      return try ServiceSockets.open(configuration.sockets)
    } catch {
      throw CommandFailure(.failed, error.description, hint: "see sockets in the configuration")
    }
  }

  /// Answers on the sockets, the first time it is called, and tells that the daemon is ready.
  private func listen(_ server: Server, on sockets: [ServiceSocket]) async {
    guard !isReady, !stopRequests.wasAsked else { return }
    isReady = true
    do throws(EventLoopError) {
      try await server.listen(on: sockets)
      manager.notify("READY=1")
      journal.write(.info, "ready")
    } catch {
      stopRequests.stop(CommandFailure(.failed, "\(error)"))
    }
  }

  // MARK: Signals

  private var reloads: (() async -> Void)?

  private func listenToSignals() throws(CommandFailure) -> [LoopSignal] {
    do throws(EventLoopError) {
      return [
        try LoopSignal(on: loop, number: SIGTERM) { [stopRequests] in stopRequests.stop() },
        try LoopSignal(on: loop, number: SIGINT) { [stopRequests] in stopRequests.stop() },
        try LoopSignal(on: loop, number: SIGHUP) { [self] in
          Task(executorPreference: loop) { [self] in await reloads?() }
        },
      ]
    } catch {
      throw CommandFailure(.failed, "signals cannot be received: \(error)")
    }
  }

  private func reload(_ server: Server) async {
    manager.notify("RELOADING=1")
    defer { manager.notify("READY=1") }
    do {
      let new = try source.load(in: .ofThisProcess())
      let keyRing = try DaemonKeyset(new).keyRing(mayMakeFile: false)
      guard try await server.reload(new, keyRing: keyRing) else { return }
      let waiting = new.keysThatWaitForStart(since: configuration, migrates: migrates)
      journal.write(
        .info,
        "the configuration was read again"
          + (waiting.isEmpty ? "" : "; these changes wait for a restart: \(waiting.joined(separator: ", "))"))
    } catch {
      journal.write(.warning, "the old configuration stays: \(error)")
    }
  }
}

extension CommandFailure {
  fileprivate init(_ error: EmbeddedPostgresError) {
    self.init(.failed, error.description, hint: error.hint)
  }
}

extension DatabaseSource {
  fileprivate var conninfo: Secret? {
    if case .connection(let conninfo) = self { conninfo } else { nil }
  }
}
