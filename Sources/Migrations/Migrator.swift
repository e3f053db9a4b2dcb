import EventLoop
import Postgres
import Schema

/// Brings a database to the schema of this binary, and tells where it stands.
///
/// Every step is a transaction under one advisory lock, so any number of programs may migrate at once: one works, the others
/// wait and find it done.
public struct Migrator: Sendable {
  private typealias SQL = MigrationStatements

  private let connection: Connection

  /// - Parameter connection: a session of its own, not through PgBouncer. ``status()`` needs no more than the rights of
  ///   `kith_runtime`; ``up(report:)`` those of `kith_owner`, and for the very first time the right to make roles, unless
  ///   they were made beforehand.
  public init(on connection: Connection) {
    self.connection = connection
  }

  /// Connects for migrating.
  ///
  /// - Parameter conninfo: the owner's libpq connection string.
  public static func open(conninfo: String, on loop: EventLoop) async throws(MigrationError) -> Migrator {
    do throws(PostgresError) {
      let settings = try ConnectionSettings(
        conninfo: conninfo, applicationName: "kith migrate", limits: .ofMaintenance, needsWrites: true)
      return Migrator(
        on: try await withTaskExecutorPreference(loop) { () throws(PostgresError) in
          try await Connection.open(settings, on: loop)
        })
    } catch {
      throw .database(error)
    }
  }

  /// Closes the connection.
  public func close() async {
    await withTaskExecutorPreference(connection.loop) { connection.close() }
  }

  /// Where the database stands. Changes nothing and takes no lock.
  public func status() async throws(MigrationError) -> MigrationStatus {
    try await withTaskExecutorPreference(connection.loop) { () throws(MigrationError) in try await readStatus() }
  }

  private func readStatus() async throws(MigrationError) -> MigrationStatus {
    do throws(PostgresError) {
      guard try await isPrepared() else { return Self.empty }
      return MigrationStatus(
        migrations: try await connection.rows(SQL.migrations, Schema.migrations),
        outdatedFunctions: try await connection.rows(SQL.outdatedFunctions, Schema.functions))
    } catch {
      throw MigrationError(error, in: "the status")
    }
  }

  /// Applies what is missing.
  ///
  /// - Parameter report: told the name of every script once it is applied.
  public func up(report: @Sendable (String) -> Void = { _ in }) async throws(MigrationError) {
    try await withTaskExecutorPreference(connection.loop) { () throws(MigrationError) in
      try await applyMissing(report: report)
    }
  }

  private func applyMissing(report: @Sendable (String) -> Void) async throws(MigrationError) {
    let before = try await readStatus()
    try before.check()
    if before.isCurrent { return }
    try await prepare()
    for migration in Schema.migrations {
      if try await apply(migration) { report("migration \(migration.version) (\(migration.script.name))") }
    }
    for name in try await replaceFunctions() { report("functions \(name)") }
  }

  private static var empty: MigrationStatus {
    MigrationStatus(
      migrations: Schema.migrations.map {
        .init(version: $0.version, name: $0.script.name, state: .pending, appliedAtMicroseconds: nil)
      },
      outdatedFunctions: Schema.functions.map(\.name))
  }

  private func isPrepared() async throws(PostgresError) -> Bool {
    try await connection.rows(SQL.isPrepared, ()).first ?? false
  }

  /// The roles and the bookkeeping.
  private func prepare() async throws(MigrationError) {
    do throws(MigrationError) {
      try await transaction(of: "the roles") { () throws(PostgresError) in
        guard try await !isPrepared() else { return }
        try connection.script(Schema.roles.text)
        try await run(SQL.becomeOwner)
        try connection.script(Schema.bookkeeping.text)
      }
    } catch {
      guard case .rightsLacking(let message) = error, await isOwner() else { throw error }
      throw .notPrepared(message)
    }
  }

  private func isOwner() async -> Bool {
    let answers = try? await connection.rows(SQL.isOwner, ())
    return answers?.first ?? false
  }

  /// Applies a migration unless somebody has by now; tells whether it did.
  private func apply(_ migration: Schema.Migration) async throws(MigrationError) -> Bool {
    try await transaction(of: "migration \(migration.version)") { () throws(PostgresError) in
      try await run(SQL.becomeOwner)
      let entries = try await connection.rows(SQL.migrations, Schema.migrations)
      guard entries.contains(where: { $0.version == migration.version && $0.state == .pending }) else { return false }
      _ = try await connection.rows(SQL.recordMigration, migration)
      try connection.script(migration.script.text)
      return true
    }
  }

  /// Applies the scripts of functions whose text is not the binary's; gives their names.
  private func replaceFunctions() async throws(MigrationError) -> [String] {
    try await transaction(of: "the functions") { () throws(PostgresError) in
      try await run(SQL.becomeOwner)
      let outdated = try await connection.rows(SQL.outdatedFunctions, Schema.functions)
      for script in Schema.functions where outdated.contains(script.name) {
        try connection.script(script.text)
        _ = try await connection.rows(SQL.recordFunctions, script)
      }
      return outdated
    }
  }

  private func transaction<Value>(
    of script: String, _ body: () async throws(PostgresError) -> Value
  ) async throws(MigrationError) -> Value {
    do throws(PostgresError) {
      try await run(SQL.begin)
      try await run(SQL.lock)
      let value = try await body()
      try await run(SQL.commit)
      return value
    } catch {
      // If the connection is gone the server rolls back by itself.
      try? await run(SQL.rollback)
      throw MigrationError(error, in: script)
    }
  }

  private func run(_ statement: Statement<Void, Void>) async throws(PostgresError) {
    _ = try await connection.rows(statement, ())
  }
}
