import Accounts
import JSON
import Migrations
import Terminal

extension Command where Context == CommandContext {
  static let migrateStatus: Command = Command(
    "status", "Show which migrations the database has",
    details: "Changes nothing. Exits 1 when the database has what no migration of this program can mend."
  ) { context throws(CommandFailure) in
    let status = try await context.withMigrator { migrator throws(MigrationError) in try await migrator.status() }
    if context.wantsJSON {
      context.write(json: json(of: status))
    } else {
      context.console.writeOutput(lines: lines(of: status, context))
    }
    do throws(MigrationError) {
      try status.check()
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func lines(of status: MigrationStatus, _ context: CommandContext) -> [String] {
    let table = Table(
      [
        Table.Column("VERSION", isNumber: true), Table.Column("NAME", widthMin: 8), Table.Column("STATE"),
        Table.Column("APPLIED"),
      ],
      rows: status.migrations.map { entry in
        ["\(entry.version)", entry.name, entry.state.rawValue, entry.appliedAt.map(DisplayedTime.minutes) ?? ""]
      })
    // In an empty database there are none, which the table says.
    let outdated = status.databaseVersion == 0 ? [] : status.outdatedFunctions
    return context.lines(of: table)
      + outdated.flatMap { context.lines("functions \($0) are not those of this version") }
      + [status.isCurrent ? "the database is up to date" : "bring it up to date with: \(remedy(context))"]
  }

  /// For the same database; a connection string may hold a password and is not repeated.
  private static func remedy(_ context: CommandContext) -> String {
    if context.arguments.contains(.database) { return "kith migrate up, with the same --database" }
    if context.arguments.contains(.config) { return "kith migrate up, with the same --config" }
    return "kith migrate up"
  }

  private static func json(of status: MigrationStatus) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("database_version")
    writer.integer(status.databaseVersion)
    writer.member("binary_version")
    writer.integer(status.binaryVersion)
    writer.member("migrations")
    writer.beginArray()
    for entry in status.migrations { entry.write(into: &writer) }
    writer.endArray()
    writer.member("outdated_functions")
    writer.beginArray()
    for name in status.outdatedFunctions { writer.string(name) }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

extension MigrationStatus.Entry {
  fileprivate var appliedAt: Timestamp? { appliedAtMicroseconds.map { Timestamp(microseconds: $0) } }

  fileprivate func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("version")
    writer.integer(version)
    writer.member("name")
    writer.string(name)
    writer.member("state")
    writer.string(state.rawValue)
    if let appliedAt {
      writer.member("applied_at")
      writer.string(appliedAt.description)
    }
    writer.endObject()
  }
}
