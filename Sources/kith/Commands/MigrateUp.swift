import JSON
import Migrations
import Synchronization
import Terminal

extension Command where Context == CommandContext {
  static let migrateUp: Command = Command(
    "up", "Apply the migrations that the database lacks",
    details: "Any number may run at once: one works, the others wait and find it done."
  ) { context throws(CommandFailure) in
    let applied = Mutex<[String]>([])
    try await context.withMigrator { migrator throws(MigrationError) in
      try await migrator.up { script in
        applied.withLock { $0.append(script) }
        if !context.wantsJSON { context.console.writeOutput(lines: context.lines("applied \(script)")) }
      }
    }
    if context.wantsJSON {
      context.write(json: json(ofApplied: applied.withLock(\.self)))
    } else {
      context.console.writeOutput(lines: ["the database is up to date"])
    }
  }

  private static func json(ofApplied scripts: [String]) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("applied")
    writer.beginArray()
    for script in scripts { writer.string(script) }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
