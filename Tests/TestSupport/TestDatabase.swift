import EmbeddedPostgres
import EventLoop
import Postgres

/// A database of one test's own in the process's cluster.
public struct TestDatabase: Sendable {
  public let cluster: TestCluster
  public let name: String

  /// Makes a database of this test's own, in some 65 ms, once it is this test's turn. One test may hold one at a time.
  ///
  /// - Parameters:
  ///   - isMigrated: whether the schema is there; otherwise the database is empty.
  ///   - durability: `.durable` for tests that end the server in the hard way.
  public static func make(
    isMigrated: Bool = true, durability: Durability = .throwAway
  ) async throws -> TestDatabase {
    await TestTurns.shared.take()
    do {
      let cluster = try await TestCluster.shared(durability)
      return TestDatabase(cluster: cluster, name: try await cluster.makeDatabase(isMigrated: isMigrated))
    } catch {
      TestTurns.shared.giveBack()
      throw error
    }
  }

  /// Makes a database, lends it to `body` and drops it, whoever is still connected.
  public static func with<Value>(
    isMigrated: Bool = true, durability: Durability = .throwAway, _ body: (TestDatabase) async throws -> Value
  ) async throws -> Value {
    let database = try await make(isMigrated: isMigrated, durability: durability)
    do {
      let value = try await body(database)
      try await database.drop()
      return value
    } catch {
      try? await database.drop()
      throw error
    }
  }

  /// Removes the database and lets another test have one.
  public func drop() async throws {
    defer { TestTurns.shared.giveBack() }
    try await cluster.dropDatabase(name)
  }

  /// The libpq connection string for a role.
  public func conninfo(for role: EmbeddedPostgres.Role = .runtime) -> String {
    cluster.conninfo(for: role, database: name)
  }

  /// What a pool or connection of a role is opened with.
  public func settings(for role: EmbeddedPostgres.Role = .runtime) throws -> ConnectionSettings {
    try ConnectionSettings(conninfo: conninfo(for: role), applicationName: "tests")
  }

  /// A connection of a role on a loop.
  public func connect(as role: EmbeddedPostgres.Role = .runtime, on loop: EventLoop) async throws -> Connection {
    let settings = try settings(for: role)
    return try await withTaskExecutorPreference(loop) { try await Connection.open(settings, on: loop) }
  }

  /// Runs statements on a connection of their own, one after the other.
  public func script(_ sql: String, as role: EmbeddedPostgres.Role = .owner) async throws {
    let loop = try EventLoop()
    try loop.start(name: "test-script")
    defer { loop.stop() }
    let connection = try await connect(as: role, on: loop)
    try await withTaskExecutorPreference(loop) {
      defer { connection.close() }
      try connection.script(sql)
    }
  }
}
