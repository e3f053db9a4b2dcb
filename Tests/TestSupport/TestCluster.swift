import EmbeddedPostgres
import EventLoop
import FoundationEssentials
import Glibc
import Migrations
import Postgres
import Synchronization

/// A real PostgreSQL that this test process runs for itself; it is started when a test first asks for a database, and is gone
/// when the process is, however it ends.
public final class TestCluster: Sendable {
  private static let folderPrefix = "kith-test-"
  private static let shared = SharedClusters()

  private let loop: EventLoop
  private let server: EmbeddedPostgres
  private let administrator: Connection
  private let count = Atomic<Int>(0)

  /// The one cluster of this process that promises this much.
  public static func shared(_ durability: Durability = .throwAway) async throws -> TestCluster {
    try await shared.cluster(durability)
  }

  fileprivate init(_ durability: Durability) async throws {
    Self.removeLeftovers()
    let folder = "/tmp/\(Self.folderPrefix)\(getpid())-\(durability)"
    loop = try EventLoop()
    try loop.start(name: "test-cluster")
    server = try EmbeddedPostgres(stateFolder: folder, durability: durability, on: loop) { _ in }
    try await server.start()
    if let process = await server.processID { AtExit.remember(process: process, loop: loop, folder: folder) }
    // The database that a new cluster holds is the template of all others.
    let migrator = try await Migrator.open(conninfo: server.conninfo(for: .superuser), on: loop)
    try await migrator.up()
    await migrator.close()
    let settings = try ConnectionSettings(
      conninfo: server.conninfo(for: .superuser, database: "postgres"), applicationName: "tests")
    administrator = try await Self.open(settings, on: loop)
  }

  /// The libpq connection string for a role and a database.
  public func conninfo(for role: EmbeddedPostgres.Role, database: String) -> String {
    server.conninfo(for: role, database: database)
  }

  /// Makes a database, migrated or empty, and gives its name.
  func makeDatabase(isMigrated: Bool) async throws -> String {
    let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
    try await script("create database \(name) template \(isMigrated ? EmbeddedPostgres.databaseName : "template0")")
    return name
  }

  func dropDatabase(_ name: String) async throws {
    try await script("drop database if exists \(name) with (force)")
  }

  /// Runs statements as the superuser in the database `postgres`.
  public func script(_ sql: String) async throws {
    try await withTaskExecutorPreference(loop) { try administrator.script(sql) }
  }

  private static func open(_ settings: ConnectionSettings, on loop: EventLoop) async throws -> Connection {
    try await withTaskExecutorPreference(loop) { try await Connection.open(settings, on: loop) }
  }

  /// Folders of test processes that were killed.
  private static func removeLeftovers() {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
    for entry in entries where entry.hasPrefix(folderPrefix) {
      let process = entry.dropFirst(folderPrefix.count).prefix { $0.isNumber }
      guard let id = pid_t(process), kill(id, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(atPath: "/tmp/\(entry)")
    }
  }
}

/// Starts each kind of cluster once.
private actor SharedClusters {
  private var clusters: [Durability: Task<TestCluster, any Error>] = [:]

  func cluster(_ durability: Durability) async throws -> TestCluster {
    let task = clusters[durability] ?? Task { try await TestCluster(durability) }
    clusters[durability] = task
    return try await task.value
  }
}

/// Ends the clusters and removes their folders when the process ends in good order.
private enum AtExit {
  private struct Running {
    let process: pid_t
    let loop: EventLoop
    let folder: String
  }

  private static let running = Mutex<[Running]>([])

  static func remember(process: pid_t, loop: EventLoop, folder: String) {
    running.withLock { running in
      if running.isEmpty { atexit { AtExit.end() } }
      running.append(Running(process: process, loop: loop, folder: folder))
    }
  }

  private static func end() {
    for cluster in running.withLock(\.self) {
      // So that nobody else waits for the process.
      cluster.loop.stop()
      kill(cluster.process, SIGQUIT)
      waitpid(cluster.process, nil, 0)
      try? FileManager.default.removeItem(atPath: cluster.folder)
    }
  }
}
