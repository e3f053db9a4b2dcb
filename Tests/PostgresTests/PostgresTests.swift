import EventLoop
import Glibc
import Postgres
import TestSupport
import Testing

@Suite struct PostgresTests {
  /// Lends a loop, and has `body` run on it.
  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (EventLoop) async throws -> Value
  ) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "test-loop")
    defer { loop.stop() }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
  }

  private func withPool<Value: Sendable>(
    size: Int, pooling: ConnectionSettings.Pooling = .session,
    _ body: @escaping @Sendable (Pool, TestDatabase) async throws -> Value
  ) async throws -> Value {
    try await TestDatabase.with(isMigrated: false) { database in
      try await onLoop { loop in
        let settings = try ConnectionSettings(
          conninfo: database.conninfo(for: .superuser), applicationName: "tests", pooling: pooling)
        let pool = Pool(settings, size: size, on: loop)
        pool.start()
        defer { pool.close() }
        // Waits until the pool is connected.
        await (try pool.begin()).rollback()
        return try await body(pool, database)
      }
    }
  }

  private static let texts = Statement<[String], [String]>(
    "test_texts", "select $1::text[]", encode: { $1.add(array: $0) },
    decode: { row throws(PostgresError) in try row.texts() })
  private static let optionalText = Statement<String?, String?>(
    "test_optional", "select $1::text", encode: { $1.add($0) },
    decode: { row throws(PostgresError) in try row.optionalText() })
  private static let wrong = Statement<Void, Void>("test_wrong", "select 1 from nowhere", encode: { _, _ in })
  private static let table = "create table kept (id int8 constraint an_id_is_kept_once primary key)"

  // MARK: Values

  @Test func `hundreds of pipelines in flight are answered in order`() async throws {
    try await withPool(size: 1) { pool, _ in
      let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
        for number in 0..<Int64(500) {
          group.addTask { (number, try await pool.rows(TrialStatements.number, number).first ?? -1) }
        }
        return try await group.reduce(into: [(Int64, Int64)]()) { $0.append($1) }
      }
      #expect(answers.count == 500)
      #expect(answers.allSatisfy { $0.0 == $0.1 })
    }
  }

  @Test func `a pipeline of one moment is one, and the next one is as ever`() async throws {
    try await withPool(size: 1) { pool, _ in
      var pipeline = Pipeline.ofOneMoment
      let slot = pipeline.add(TrialStatements.isolation, ())
      let within = try await pool.run(pipeline).first(of: slot)
      #expect(within == "repeatable read")
      let after = try await pool.rows(TrialStatements.isolation, ())
      #expect(after == ["read committed"])
    }
  }

  @Test func `texts come back byte for byte`() async throws {
    let samples = ["", "a", "Ω≈ç√", "\u{1F600}", "{\"a\\\"}", "NULL", String(repeating: "x", count: 100_000)]
    try await withPool(size: 1) { pool, _ in
      let found = try await pool.rows(Self.texts, samples).first ?? []
      #expect(found.map { Array($0.utf8) } == samples.map { Array($0.utf8) })
      #expect(try await pool.rows(Self.texts, []).first == [])
      #expect(try await pool.rows(Self.optionalText, nil).first == .some(nil))
      #expect(try await pool.rows(Self.optionalText, "").first == "")
      #expect(try await pool.rows(TrialStatements.number, .min).first == .min)
    }
  }

  // MARK: Errors

  @Test func `an error names state and constraint and leaves its neighbours alone`() async throws {
    try await withPool(size: 1) { pool, database in
      try await database.script(Self.table, as: .superuser)
      _ = try await pool.rows(TrialStatements.insert, 1)
      let error = await Self.state { _ = try await pool.rows(TrialStatements.insert, 1) }
      #expect(try await pool.rows(TrialStatements.number, 2) == [2])
      #expect(error?.state == .uniqueViolation)
      #expect(error?.constraint == "an_id_is_kept_once")
    }
  }

  @Test func `a failing statement undoes its pipeline and a later use of its statements works`() async throws {
    try await withPool(size: 1) { pool, database in
      try await database.script(Self.table, as: .superuser)
      var pipeline = Pipeline()
      pipeline.add(TrialStatements.insert, 1)
      pipeline.add(Self.wrong, ())
      pipeline.add(TrialStatements.count, ())
      let doomed = pipeline
      #expect(await Self.state { _ = try await pool.run(doomed, commits: true) }?.state == .undefinedTable)
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
      try await database.script("create table nowhere ()", as: .superuser)
      _ = try await pool.rows(Self.wrong, ())
    }
  }

  private static func state(_ body: () async throws -> Void) async -> ServerError? {
    do {
      try await body()
      return nil
    } catch PostgresError.server(let error) {
      return error
    } catch {
      return nil
    }
  }

  // MARK: Transactions

  @Test func `a transaction keeps all or nothing`() async throws {
    try await withPool(size: 2) { pool, database in
      try await database.script(Self.table, as: .superuser)
      var one = Pipeline()
      one.add(TrialStatements.insert, 1)
      let undone = try await pool.begin()
      _ = try await undone.run(one)
      await undone.rollback()
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
      _ = try await pool.begin().commit(one)
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  @Test func `a constraint that is checked at commit fails the commit and the connection serves on`() async throws {
    try await withPool(size: 1) { pool, database in
      try await database.script(
        "create table kept (id int8 unique deferrable initially deferred); insert into kept values (1)", as: .superuser)
      var pipeline = Pipeline()
      pipeline.add(TrialStatements.insert, 1)
      let doomed = pipeline
      let error = await Self.state { _ = try await pool.begin().commit(doomed) }
      #expect(error?.state == .uniqueViolation)
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  @Test func `more callers than connections all get their turn`() async throws {
    try await withPool(size: 1) { pool, _ in
      let held = try await pool.begin()
      async let waiting = Self.leases(5, from: pool)
      await held.rollback()
      #expect(try await waiting == 5)
    }
  }

  /// Takes leases at the same time and gives each back.
  private static func leases(_ count: Int, from pool: Pool) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        group.addTask(executorPreference: pool.loop) {
          await (try pool.begin()).rollback()
          return 1
        }
      }
      return try await group.reduce(0, +)
    }
  }

  // MARK: Broken connections

  @Test func `a broken connection is told apart from a refusal and opens again by itself`() async throws {
    try await withPool(size: 1) { pool, database in
      let (availability, told) = AsyncStream.makeStream(of: Bool.self)
      pool.onAvailability = { told.yield($0) }
      let transaction = try await pool.begin()
      var pipeline = Pipeline()
      let slot = pipeline.add(TrialStatements.backend, ())
      let backend = try await transaction.run(pipeline).first(of: slot) ?? 0
      try await database.script("select pg_terminate_backend(\(backend), 5000)", as: .superuser)
      await #expect {
        _ = try await transaction.run(pipeline)
      } throws: { error in
        switch error as? PostgresError {
        case .connectionLost, .unavailable: true
        default: false
        }
      }
      await transaction.rollback()
      for await isUp in availability where isUp { break }
      #expect(try await pool.rows(TrialStatements.backend, ()) != [backend])
    }
  }

  @Test func `the next host is tried when the first does not answer`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      let conninfo = database.conninfo(for: .superuser)
      let host = try #require(conninfo.split(separator: " ").first { $0.hasPrefix("host=") }).dropFirst(5)
      let quoted = host.replacing("'", with: "")
      let several = conninfo.replacing("host=\(host)", with: "host='/nonexistent,\(quoted)'")
        .replacing("port=5432", with: "port=5432,5432")
      try await onLoop { loop in
        let settings = try ConnectionSettings(conninfo: several, applicationName: "tests")
        let connection = try await Connection.open(settings, on: loop)
        #expect(try await connection.rows(TrialStatements.number, 7) == [7])
        connection.close()
      }
    }
  }

  @Test func `while nobody listens a lease fails at once`() async throws {
    try await onLoop { loop in
      let settings = try ConnectionSettings(conninfo: "host=/nonexistent dbname=x", applicationName: "tests")
      let pool = Pool(settings, size: 1, on: loop)
      pool.start()
      defer { pool.close() }
      for _ in 0..<3 {
        await #expect {
          _ = try await pool.begin()
        } throws: { error in
          if case .unavailable = error as? PostgresError { true } else { false }
        }
      }
    }
  }

  @Test func `a malformed connection string is refused without quoting it`() {
    #expect {
      try ConnectionSettings(conninfo: "password=hunter2 nonsense", applicationName: "tests")
    } throws: { !"\($0)".contains("hunter2") }
  }

  // MARK: Limits and pooling

  @Test func `a statement that takes too long is ended with its state`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await onLoop { loop in
        var limits = ConnectionSettings.Limits()
        limits.statementMilliseconds = 50
        let settings = try ConnectionSettings(
          conninfo: database.conninfo(for: .superuser), applicationName: "tests", limits: limits)
        let connection = try await Connection.open(settings, on: loop)
        defer { connection.close() }
        let long = Statement<Void, Void>("test_long", "select pg_sleep(20)", encode: { _, _ in })
        let error = await Self.state { _ = try await connection.rows(long, ()) }
        #expect(error?.state == .queryCanceled)
        #expect(try await connection.rows(TrialStatements.number, 3) == [3])
      }
    }
  }

  @Test func `without sessions of its own nothing is prepared and all else is the same`() async throws {
    try await withPool(size: 2, pooling: .transaction) { pool, database in
      try await database.script(Self.table, as: .superuser)
      for number in 0..<Int64(20) { _ = try await pool.rows(TrialStatements.insert, number) }
      #expect(try await pool.rows(TrialStatements.count, ()) == [20])
      let prepared = Statement<Void, Int64>(
        "test_prepared", "select count(*) from pg_prepared_statements",
        decode: { row throws(PostgresError) in try row.integer() })
      #expect(try await pool.rows(prepared, ()) == [0])
    }
  }
}
