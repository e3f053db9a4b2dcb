import FoundationEssentials
import Glibc
import Synchronization

/// A real PgBouncer before a test's database, on a Unix socket of its own, run as somebody who is not root.
public final class TestPooler: Sendable {
  public enum Mode: String, Sendable {
    case session
    case transaction
  }

  private static let program = "/usr/sbin/pgbouncer"
  private static let port = 6432
  private static let count = Atomic<Int>(0)

  private let folder: String
  private let database: String
  private let process = Mutex<DaemonProcess?>(nil)

  /// Lends a running PgBouncer to `body` and ends it.
  ///
  /// - Parameters:
  ///   - connections: how many connections to PostgreSQL it has for each role; who comes when all are taken waits.
  ///   - more: further lines of its section `[pgbouncer]`.
  public static func with(
    _ database: TestDatabase, mode: Mode = .transaction, connections: Int = 4, more: String = "",
    _ body: (TestPooler) async throws -> Void
  ) async throws {
    let pooler = try TestPooler(database, mode: mode, connections: connections, more: more)
    do {
      try await pooler.start()
      try await body(pooler)
      try await pooler.kill()
      try? FileManager.default.removeItem(atPath: pooler.folder)
    } catch {
      try? await pooler.kill()
      try? FileManager.default.removeItem(atPath: pooler.folder)
      throw error
    }
  }

  private init(_ database: TestDatabase, mode: Mode, connections: Int, more: String) throws {
    // Short, because a socket's address holds 107 bytes.
    folder = "/tmp/kith-bnc-\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
    self.database = database.name
    try ServerAccount.current().makeFolder(folder)
    let host = database.conninfo().split(separator: "'").dropFirst().first ?? ""
    let text = """
      [databases]
      \(database.name) = host=\(host) port=5432

      [pgbouncer]
      listen_port = \(Self.port)
      unix_socket_dir = \(folder)
      auth_type = trust
      auth_file = \(folder)/users
      pool_mode = \(mode.rawValue)
      default_pool_size = \(connections)
      server_login_retry = 0.1
      \(more)
      """
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/pgbouncer.ini"))
    try Data("\"kith_runtime\" \"\"\n\"postgres\" \"\"\n".utf8).write(to: URL(filePath: "\(folder)/users"))
  }

  /// What leads to the database through here.
  public func conninfo(as role: String = "kith_runtime") -> String {
    "host=\(folder) port=\(Self.port) dbname=\(database) user=\(role)"
  }

  /// Starts it and returns once it accepts connections.
  public func start() async throws {
    let started = try await DaemonProcess.start(program: Self.program, ["\(folder)/pgbouncer.ini"])
    process.withLock { $0 = started }
    _ = try await started.line(containing: "process up")
  }

  /// Ends it at once, and with it every connection through it.
  public func kill() async throws {
    let ended = process.withLock { process in
      defer { process = nil }
      return process
    }
    try await ended?.endAtOnce()
  }

  /// What it has said since it was started.
  public func said() async throws -> [String] {
    try await process.withLock(\.self)?.said().map(\.text) ?? []
  }
}
