import EventLoop
import Migrations
import Postgres
import Schema
import TestSupport
import Testing

@Suite struct MigratorTests {
  private func withMigrator<Value>(
    on database: TestDatabase, as role: EmbeddedRole = .superuser, _ body: (Migrator) async throws -> Value
  ) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "migrator")
    defer { loop.stop() }
    let migrator = try await Migrator.open(conninfo: database.conninfo(for: role), on: loop)
    let value = try await body(migrator)
    await migrator.close()
    return value
  }

  @Test func `an empty database has everything pending and becomes current`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await withMigrator(on: database) { migrator in
        let before = try await migrator.status()
        #expect(before.databaseVersion == 0)
        #expect(!before.isCurrent)
        #expect(before.migrations.map(\.state) == Schema.migrations.map { _ in .pending })
        #expect(before.outdatedFunctions == Schema.functions.map(\.name))

        try await migrator.up()

        let after = try await migrator.status()
        #expect(after.isCurrent)
        #expect(after.databaseVersion == Schema.version)
        #expect(after.migrations.allSatisfy { $0.appliedAtMicroseconds != nil })
      }
    }
  }

  @Test func `what was applied is reported once`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await withMigrator(on: database) { migrator in
        let reports = Recorder()
        try await migrator.up { reports.record($0) }
        let expected =
          Schema.migrations.map { "migration \($0.version) (\($0.script.name))" }
          + Schema.functions.map { "functions \($0.name)" }
        #expect(reports.all == expected)
        try await migrator.up { reports.record($0) }
        #expect(reports.all == expected)
      }
    }
  }

  @Test func `twenty at once end well`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      let reports = Recorder()
      try await withThrowingTaskGroup { group in
        for _ in 0..<20 {
          group.addTask {
            try await withMigrator(on: database) { migrator in
              try await migrator.up { reports.record($0) }
              let status = try await migrator.status()
              #expect(status.isCurrent)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(reports.all.count == Schema.migrations.count + Schema.functions.count)
    }
  }

  @Test func `a migration applied with another text is an error that names it`() async throws {
    try await TestDatabase.with { database in
      try await database.script("update kith.migrations set checksum = repeat('0', 64) where version = 2")
      try await withMigrator(on: database) { migrator in
        let status = try await migrator.status()
        #expect(status.migrations.map(\.state)[1] == .changed)
        let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
        guard case .changed(version: 2, name: "requests") = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
    }
  }

  @Test func `a database from a newer binary is an error that names both versions`() async throws {
    try await TestDatabase.with { database in
      try await database.script(
        "insert into kith.migrations (version, name, checksum) values (1000, 'future', repeat('0', 64))")
      try await withMigrator(on: database) { migrator in
        let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
        guard case .databaseIsNewer(databaseVersion: 1000, binaryVersion: Schema.version) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
    }
  }

  @Test func `functions whose text changed are applied again`() async throws {
    try await TestDatabase.with { database in
      try await database.script(
        """
        drop function kith.uuid_time;
        update kith.functions set checksum = repeat('0', 64) where name = 'uuid_time'
        """)
      try await withMigrator(on: database) { migrator in
        let before = try await migrator.status()
        #expect(before.outdatedFunctions == ["uuid_time"])
        let reports = Recorder()
        try await migrator.up { reports.record($0) }
        #expect(reports.all == ["functions uuid_time"])
        let status = try await migrator.status()
        #expect(status.isCurrent)
      }
      try await database.script("select kith.uuid_time(gen_random_uuid())", as: .runtime)
    }
  }

  @Test func `the runtime role sees the status and cannot migrate`() async throws {
    try await TestDatabase.with { database in
      try await database.script("update kith.functions set checksum = repeat('0', 64)")
      try await withMigrator(on: database, as: .runtime) { migrator in
        let status = try await migrator.status()
        #expect(status.databaseVersion == Schema.version)
        let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
        guard case .rightsLacking = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(error?.hint?.contains("kith_owner") == true)
      }
    }
  }

  @Test func `the owner migrates without more rights once the roles are there`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await database.script("grant create on database \(database.name) to kith_owner", as: .superuser)
      try await withMigrator(on: database, as: .owner) { migrator in
        try await migrator.up()
        let status = try await migrator.status()
        #expect(status.isCurrent)
      }
    }
  }

  @Test func `a refused script leaves nothing behind`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await database.script("create schema kith authorization kith_owner", as: .superuser)
      try await database.script("create table kith.events (x integer)", as: .superuser)
      try await withMigrator(on: database) { migrator in
        let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
        guard case .failed(script: "migration 2", _) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        let status = try await migrator.status()
        #expect(status.databaseVersion == 1)
        try await database.script("drop table kith.events", as: .superuser)
        try await migrator.up()
        let mended = try await migrator.status()
        #expect(mended.isCurrent)
      }
    }
  }
}
