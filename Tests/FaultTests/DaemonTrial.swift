import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A folder of a test's own with configurations, sockets and state, for one daemon after the other.
struct DaemonTrial: Sendable {
  /// In everything that is known of the people who sign in, so that it can be looked for where it must not be.
  static let canary = "canary"

  let folder: String
  /// A libpq connection string; nil for an embedded PostgreSQL.
  var database: String?
  /// Further members of the configuration, each with a comma after it.
  var more = ""
  var logFormat = "text"
  /// Those of credentials that the caller may use.
  var accessGroups = #""*""#
  /// Tells the sockets of several daemons apart.
  var name = "d"
  /// Each daemon has a state folder to itself.
  var stateName = "state"
  /// What sets something up and becomes the daemon.
  var wrapper: [String] = []
  var environment: [String: String] = [:]

  var app: String { "\(folder)/\(name).app" }
  var admin: String { "\(folder)/\(name).admin" }
  var state: String { "\(folder)/\(stateName)" }
  var configurationFile: String { "\(folder)/\(name).json5" }
  /// The connection string of the embedded cluster, for the superuser.
  var embeddedConninfo: String { "host=\(state)/postgres/run port=5432 dbname=kith user=postgres" }

  /// Lends a folder to `body` and removes it.
  static func with(database: String? = nil, _ body: (DaemonTrial) async throws -> Void) async throws {
    // Short, because a socket's address holds 107 bytes.
    let folder = "/tmp/kith-fault-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    chmod(folder, 0o755)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // One for all daemons of the trial; beside an embedded PostgreSQL the daemon makes its own.
    try TestKeys.write(TestKeys.keyset(), to: "\(folder)/keyset.json")
    try await body(DaemonTrial(folder: folder, database: database))
  }

  var configuration: String {
    """
    {
      \(database.map { "database: \"\($0)\", keyset: \"file:\(folder)/keyset.json\"," } ?? "")
      state_dir: "\(state)", sockets: { app: "\(app)", admin: "\(admin)" }, \(more)
      namespaces: [
        { provider: "apple", tenant: "FAULT00001" }, { provider: "linkedin", tenant: "fault-client" },
        { provider: "naver", tenant: "fault-client" },
      ],
      callers: [
        { name: "tests", uid: \(geteuid()), methods: ["*"], may_assert: true, access_groups: [\(accessGroups)] },
      ],
      log: { level: "debug", format: "\(logFormat)" },
    }
    """
  }

  func write(_ configuration: String) throws {
    try Data(configuration.utf8).write(to: URL(filePath: configurationFile))
  }

  /// Starts a daemon by the configuration; to be ended by ``end(_:)``.
  func launch(_ arguments: String...) async throws -> DaemonProcess {
    try write(configuration)
    let all = ["--config", configurationFile] + (database == nil ? ["--embedded"] : []) + arguments
    return try await DaemonProcess.start(all, wrapper: wrapper, environment: environment)
  }

  /// Starts a daemon and waits until it serves.
  func start(_ arguments: String...) async throws -> DaemonProcess {
    let daemon = try await launch()
    try await daemon.ready()
    return daemon
  }

  /// Lends a running daemon to `body`, and ends it in good order.
  func withDaemon(_ body: (DaemonProcess) async throws -> Void) async throws {
    let daemon = try await start()
    do {
      try await body(daemon)
      try await end(daemon)
    } catch {
      try await daemon.endAtOnce()
      throw error
    }
  }

  func end(_ daemon: DaemonProcess) async throws {
    #expect(try await daemon.stop() == .exited(0))
    try await expectDiscretion(of: daemon)
  }

  /// What the daemon wrote names none of the people.
  func expectDiscretion(of daemon: DaemonProcess) async throws {
    let indiscreet = try await daemon.said().map(\.text).filter { $0.lowercased().contains(Self.canary) }
    #expect(indiscreet == [])
  }

  func connect() throws -> TestPeer { try TestPeer(path: app) }

  /// Makes one call on a connection of its own.
  func call(_ method: String, _ params: String = "{}", onAdmin: Bool = false) async throws -> WireAnswer {
    let peer = try TestPeer(path: onAdmin ? admin : app)
    defer { peer.close() }
    return try await peer.call(method, params)
  }
}
