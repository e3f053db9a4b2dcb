import FoundationEssentials
import TestSupport
import Testing

/// `kith migrate`, on databases that lack the schema and on one that has it.
@Suite(.timeLimit(.minutes(5))) struct MigrateCommandTests {
  private let kith = CommandTrial(folder: nil)

  @Test func `a database is looked at, migrated, and found up to date`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      // For the very first time somebody who may make roles.
      let conninfo = database.conninfo(for: .superuser)
      let before = await kith.run("migrate", "status", "--database", conninfo, width: 80)
      #expect(before.exitCode == 0)
      #expect(before.output.hasPrefix("VERSION  NAME"))
      #expect(before.output.contains("pending"))
      #expect(before.output.hasSuffix("bring it up to date with: kith migrate up, with the same --database\n"))
      #expect(!before.output.contains("functions"))

      let up = await kith.run("migrate", "up", "--database", conninfo)
      #expect(up.exitCode == 0)
      #expect(up.output.hasPrefix("applied migration 1 "))
      #expect(up.output.hasSuffix("the database is up to date\n"))

      let after = await kith.run("migrate", "status", "--database", conninfo, width: 80)
      #expect(after.output.contains("applied"))
      #expect(!after.output.contains("pending"))
      #expect(after.output.hasSuffix("the database is up to date\n"))

      let again = await kith.run("migrate", "up", "--database", conninfo, "--json")
      #expect(again.output == "{\"applied\":[]}\n")
      let json = try WireJSON(
        Array(await kith.run("migrate", "status", "--database", conninfo, "--json").output.utf8.dropLast()))
      #expect(json["database_version"] == json["binary_version"])
      #expect(json["migrations"]?[0]?["state"]?.string == "applied")
    }
  }

  @Test func `the configuration names the database, whatever else of it cannot be read`() async throws {
    try await TestDatabase.with { database in
      let file = "/tmp/kith-migrate-\(UUID().uuidString.prefix(8)).json5"
      defer { try? FileManager.default.removeItem(atPath: file) }
      let text = """
        { database: "dbname=nonsense", migrate_database: "\(database.conninfo(for: .owner))",
          keyset: "credential:keyset", whatever: 1 }
        """
      try Data(text.utf8).write(to: URL(filePath: file))
      let status = await kith.run("migrate", "status", "--config", file)
      #expect(status.exitCode == 0)
      #expect(status.output.hasSuffix("the database is up to date\n"))
    }
  }

  @Test func `the owner of a database that nobody prepared is sent to the roles`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      let up = await kith.run("migrate", "up", "--database", database.conninfo(for: .owner))
      #expect(up.exitCode == 1)
      #expect(up.error.contains("kith: hint: run roles.sql"))
      #expect(!up.error.contains("connect as kith_owner"))
    }
  }

  @Test func `a socket of PostgreSQL's is no daemon's`() async throws {
    try await TestDatabase.with { database in
      let folder = try #require(database.conninfo().firstMatch(of: /host='?([^ ']+)/)?.output.1)
      for command in ["status", "doctor"] {
        let result = await kith.run(command, "--socket", "\(folder)/.s.PGSQL.5432")
        #expect(result.exitCode == (command == "status" ? 4 : 1))
        #expect((result.output + result.error).contains("does not speak Kith's protocol"))
        #expect(!(result.output + result.error).contains("start kithd"))
      }
    }
  }

  @Test func `who may not migrate is told what to do`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      let up = await kith.run("migrate", "up", "--database", database.conninfo(for: .runtime))
      #expect(up.exitCode == 1)
      #expect(up.error.contains("kith: hint: connect as kith_owner"))
    }
  }
}
