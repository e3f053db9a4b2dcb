import Accounts
import Configuration
import EventLoop
import FoundationEssentials
import Glibc
import Operations
import Postgres
import Schema
import Service
import Spool
import Synchronization
import UnixSocket
import Vault

/// A daemon's whole service inside the test process: real sockets in a folder of its own, and a test's database. Several on
/// one database are as several daemons.
public final class TestService: Sendable {
  /// The configuration file's text, piece by piece.
  public struct Settings: Sendable {
    public var callers = [TestService.caller()]
    public var namespaces = [
      #"{ provider: "apple", tenant: "TEAM000001" }"#, #"{ provider: "linkedin", tenant: "li-client" }"#,
      #"{ provider: "naver", tenant: "nv-client" }"#, #"{ provider: "password", tenant: "default" }"#,
    ]
    public var defaults = "{}"
    /// The members of `limits`.
    public var limits = ""
    public var threads = 1
    public var databasePooler = DatabasePooler.session
    /// Where the journal is written.
    public var journalDescriptor = STDERR_FILENO
    /// Nil for the one of ``TestKeys``.
    public var keyset: Keyset?

    public init() {}

    /// - Parameter limits: the members of `limits`.
    public init(limits: String) { self.limits = limits }

    /// - Parameter callers: the entries of `callers`.
    public init(callers: [String]) { self.callers = callers }

    fileprivate func text(of service: TestService, conninfo: String) -> String {
      """
      { database: "\(conninfo)", database_pooler: "\(databasePooler.rawValue)", state_dir: "\(service.folder)",
        keyset: "file:\(service.keysetFile)",
        sockets: { app: "\(service.appPath)", admin: "\(service.adminPath)" },
        namespaces: [\(namespaces.joined(separator: ", "))], callers: [\(callers.joined(separator: ", "))],
        defaults: \(defaults), limits: { \(limits) }, threads: \(threads), log: { level: "error", format: "text" } }
      """
    }
  }

  private static let count = Atomic<Int>(0)
  private static let processors = 64

  public let folder: String
  public var appPath: String { folder + "/app.sock" }
  public var adminPath: String { folder + "/admin.sock" }
  public var keysetFile: String { folder + "/keyset.json" }
  private let conninfo: String
  private let server = Mutex<Server?>(nil)

  private init(conninfo: String) throws {
    self.conninfo = conninfo
    // Short, because a socket's address holds 107 bytes.
    folder = "/tmp/kith-svc-\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    chmod(folder, 0o755)
  }

  /// The entry of a caller: this very process, everything allowed, unless said otherwise.
  ///
  /// - Parameter more: members after those, each with a comma before it.
  public static func caller(
    _ name: String = "tests", uid: UInt32 = geteuid(), methods: String = #"["*"]"#, mayAssert: Bool = true,
    more: String = ""
  ) -> String {
    #"{ name: "\#(name)", uid: \#(uid), methods: \#(methods), may_assert: \#(mayAssert)\#(more) }"#
  }

  // MARK: Running

  /// Starts a service that is connected to its database; to be stopped.
  public static func start(on database: TestDatabase, _ settings: Settings = Settings()) async throws -> TestService {
    try await start(conninfo: database.conninfo(), settings)
  }

  /// The same by a libpq connection string, which may lead through something to the database.
  public static func start(conninfo: String, _ settings: Settings = Settings()) async throws -> TestService {
    let service = try TestService(conninfo: conninfo)
    let configuration = try await service.listen(settings)
    try await service.running().openDatabase(configuration)
    return service
  }

  /// Starts a service whose database cannot be reached.
  public static func startWithoutDatabase(_ settings: Settings = Settings()) async throws -> TestService {
    let service = try TestService(conninfo: "host=/nonexistent dbname=kith user=kith_runtime")
    _ = try await service.listen(settings)
    return service
  }

  /// Lends services on one new database to `body`.
  public static func with<Value>(
    _ settings: Settings = Settings(), count: Int = 1,
    _ body: ([TestService], TestDatabase) async throws -> Value
  ) async throws -> Value {
    try await TestDatabase.with { database in
      var services: [TestService] = []
      do {
        for _ in 0..<count { services.append(try await start(on: database, settings)) }
        let value = try await body(services, database)
        for service in services { await service.stop() }
        return value
      } catch {
        for service in services { await service.stop() }
        throw error
      }
    }
  }

  /// Lends a service and a connection to its app socket to `body`.
  public static func withPeer<Value>(
    _ settings: Settings = Settings(), _ body: (TestService, TestPeer) async throws -> Value
  ) async throws -> Value {
    try await with(settings, count: 1) { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      return try await body(services[0], peer)
    }
  }

  /// Reads other settings, as at SIGHUP.
  public func reload(_ settings: Settings) async throws {
    let configuration = try load(settings)
    _ = try await running().reload(configuration, keyRing: try Self.keyRing(of: configuration))
  }

  public func stop() async {
    let server = server.withLock { server in
      defer { server = nil }
      return server
    }
    await server?.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Connects to one of the sockets.
  public func connect(to role: SocketRole = .app) throws -> TestPeer {
    try TestPeer(path: role == .app ? appPath : adminPath)
  }

  // MARK: Within

  private func running() throws -> Server {
    struct NotRunning: Error {}
    guard let server = server.withLock(\.self) else { throw NotRunning() }
    return server
  }

  private func listen(_ settings: Settings) async throws -> Configuration {
    let configuration = try load(settings)
    let connection = try ConnectionSettings(
      conninfo: conninfo, applicationName: "test-service",
      pooling: settings.databasePooler == .transaction ? .transaction : .session)
    let server = try Server(
      Server.Identity(version: "0.0.0-test", schemaVersion: Schema.version, isEmbedded: false),
      configuration: configuration, databases: Databases(main: connection, standby: nil),
      keyRing: try Self.keyRing(of: configuration), spool: try Spool(folder: folder + "/spool"),
      journal: Journal(
        configuration.log, to: try LineOutput(descriptor: settings.journalDescriptor), isReadByJournal: false,
        now: Clock.now),
      circumstances: Circumstances(now: Clock.now) {
        (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
      })
    let sockets = try [(SocketRole.app, appPath), (.admin, adminPath)].map { role, path in
      ServiceSocket(
        role: role, descriptor: try SocketListener.bind(path: path, mode: 0o666, gid: nil), ownedPath: path)
    }
    try await server.start()
    try await server.listen(on: sockets)
    self.server.withLock { $0 = server }
    return configuration
  }

  private static func keyRing(of configuration: Configuration) throws -> KeyRing {
    try KeyRing(configuration.keyset ?? TestKeys.keyset(), random: .system)
  }

  private func load(_ settings: Settings) throws -> Configuration {
    try TestKeys.write(settings.keyset ?? TestKeys.keyset(), to: keysetFile)
    let file = folder + "/kith.json5"
    try Data(settings.text(of: self, conninfo: conninfo).utf8).write(to: URL(filePath: file))
    var surroundings = Surroundings.ofThisProcess()
    surroundings.processorCount = Self.processors
    return try ConfigurationSource(file: file).load(in: surroundings)
  }
}
