import Accounts
import Configuration
import EventLoop
import Migrations
import Terminal

extension Command where Context == CommandContext {
  static let migrate: Command = Command(
    "migrate", "Look after the schema of the database",
    details: """
      Goes straight to PostgreSQL: to --database, else to migrate_database or database of the configuration.
      """,
    verbs: [.migrateStatus, .migrateUp])

  private static let migrateStatus: Command = Command(
    "status", "Show which migrations the database has"
  ) { context throws(CommandFailure) in
    try await context.withMigrator { migrator throws(MigrationError) in
      let status = try await migrator.status()
      let table = Table(
        [Table.Column("VERSION", isNumber: true), Table.Column("NAME"), Table.Column("STATE")],
        rows: status.migrations.map { ["\($0.version)", $0.name, $0.state.rawValue] })
      var lines = context.lines(of: table)
      for function in status.outdatedFunctions {
        lines.append("functions of \(function) are not those of this version")
      }
      lines.append(status.isCurrent ? "the database is up to date" : "bring it up to date with: kith migrate up")
      context.console.writeOutput(lines: lines)
    }
  }

  private static let migrateUp: Command = Command(
    "up", "Apply the migrations that the database lacks"
  ) { context throws(CommandFailure) in
    try await context.withMigrator { migrator throws(MigrationError) in
      try await migrator.up { script in context.console.writeOutput(lines: ["applied \(script)"]) }
      context.console.writeOutput(lines: ["the database is up to date"])
    }
  }
}

extension CommandContext {
  fileprivate func withMigrator(
    _ body: (Migrator) async throws(MigrationError) -> Void
  ) async throws(CommandFailure) {
    let conninfo = try databaseConninfo()
    do {
      let loop = try EventLoop()
      try loop.start(name: "kith-migrate")
      defer { loop.stop() }
      let migrator = try await Migrator.open(conninfo: conninfo, on: loop)
      try await body(migrator)
      await migrator.close()
    } catch let error as MigrationError {
      throw CommandFailure(error.isPassing ? .tryAgain : .failed, error.description, hint: error.hint)
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
  }

  private func databaseConninfo() throws(CommandFailure) -> String {
    if let conninfo = arguments.value(of: .database) { return conninfo }
    do throws(ConfigurationError) {
      let source = ConfigurationSource(file: arguments.value(of: .config))
      if let conninfo = try source.migrationDatabase(in: .ofThisProcess()) { return conninfo.text }
    } catch {
      throw CommandFailure(
        .failed, error.description,
        hint: "name the database itself with --database \"host=/run/postgresql dbname=kith\"")
    }
    throw CommandFailure(.failed, "the configuration names no database", hint: "name one with --database")
  }
}

extension MigrationError {
  /// Whether the same command may succeed once the database is back.
  fileprivate var isPassing: Bool {
    if case .database(.unavailable) = self { true } else { false }
  }
}
