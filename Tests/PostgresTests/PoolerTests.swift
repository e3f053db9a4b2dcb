import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// The pool through a real PgBouncer.
@Suite struct PoolerTests {
  private static let lock = Statement<Int64, Void>(
    "pooler_lock", "select pg_advisory_xact_lock($1::int8)", encode: { $1.add($0) })
  private static let tryLock = Statement<Int64, Bool>(
    "pooler_try_lock", "select pg_try_advisory_xact_lock($1::int8)", encode: { $1.add($0) },
    decode: { row throws(PostgresError) in try row.bool() })
  private static let setLocal = Statement<Void, Void>(
    "pooler_set_local", "set local application_name = 'local'", encode: { _, _ in })
  private static let name = Statement<Void, String>(
    "pooler_name", "select current_setting('application_name')",
    decode: { row throws(PostgresError) in try row.text() })
  private static let prepared = Statement<Void, Int64>(
    "pooler_prepared", "select count(*) from pg_prepared_statements",
    decode: { row throws(PostgresError) in try row.integer() })
  private static let sleep = Statement<Void, Void>("pooler_sleep", "select pg_sleep(20)", encode: { _, _ in })
  private static let table = "create table kept (id int8 primary key); grant all on kept to kith_runtime"

  private static func withPool(
    size: Int = 4, mode: TestPooler.Mode = .transaction, connections: Int = 2, more: String = "",
    setUp: @escaping (TestDatabase) -> String = { _ in "select 1" },
    _ body: (Pool, TestDatabase, TestPooler) async throws -> Void
  ) async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await database.script(table, as: .superuser)
      try await database.script(setUp(database), as: .superuser)
      try await TestPooler.with(database, mode: mode, connections: connections, more: more) { pooler in
        let settings = try ConnectionSettings(
          conninfo: pooler.conninfo(), applicationName: "tests", pooling: mode == .transaction ? .transaction : .session
        )
        try await RunningLoop.with { loop in
          try await withTaskExecutorPreference(loop) { () async throws in
            let pool = Pool(settings, size: size, on: loop)
            pool.start()
            defer { pool.close() }
            // Until every connection is open.
            var leases: [Transaction] = []
            for _ in 0..<size { leases.append(try await pool.begin()) }
            for lease in leases { await lease.rollback() }
            try await body(pool, database, pooler)
          }
        }
      }
    }
  }

  private static func pipeline<Input, Row>(_ statement: Statement<Input, Row>, _ input: Input) -> Pipeline {
    var pipeline = Pipeline()
    pipeline.add(statement, input)
    return pipeline
  }

  private static func failure(_ body: () async throws -> Void) async -> PostgresError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? PostgresError
    }
  }

  /// With which state PostgreSQL refuses.
  private static func refusal(_ body: () async throws -> Void) async -> SQLState? {
    if case .server(let error) = await failure(body) { error.state } else { nil }
  }

  /// A limit of the role in this database alone, as a pooler does not pass those of a session on.
  private static func limit(_ setting: String) -> (TestDatabase) -> String {
    { "alter role kith_runtime in database \($0.name) set \(setting)" }
  }

  // MARK: Statements and transactions

  @Test func `more statements than the pooler has connections are all answered, each with its own`() async throws {
    try await Self.withPool { pool, _, pooler in
      let leased = Pool(
        try ConnectionSettings(conninfo: pooler.conninfo(), applicationName: "tests", pooling: .transaction), size: 3,
        on: pool.loop)
      leased.start()
      defer { leased.close() }
      let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
        for number in 0..<Int64(300) {
          group.addTask(executorPreference: pool.loop) {
            guard number % 3 == 0 else {
              return (number, try await pool.rows(TrialStatements.number, number).first ?? -1)
            }
            let transaction = try await leased.begin()
            var pipeline = Pipeline()
            let slot = pipeline.add(TrialStatements.number, number)
            let first = try await transaction.run(pipeline).first(of: slot) ?? -1
            let last = try await transaction.commit(pipeline, changes: false).first(of: slot) ?? -1
            return (number, first == last ? first : -1)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 300)
      #expect(answers.allSatisfy { $0.0 == $0.1 })
      #expect(try await pool.rows(Self.prepared, ()) == [0])
    }
  }

  @Test func `a transaction keeps all or nothing and a refusal leaves its neighbours alone`() async throws {
    try await Self.withPool(connections: 1) { pool, _, _ in
      let undone = try await pool.begin()
      _ = try await undone.run(Self.pipeline(TrialStatements.insert, 1))
      await undone.rollback()
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
      _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 1))
      let state = await Self.refusal { _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 1)) }
      #expect(state == .uniqueViolation)
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  @Test func `what is set and locked in a transaction ends with it, whoever has its server's connection next`()
    async throws
  {
    try await Self.withPool(connections: 2) { pool, _, _ in
      let holder = try await pool.begin()
      var pipeline = Self.pipeline(Self.setLocal, ())
      pipeline.add(Self.lock, 7)
      let slot = pipeline.add(Self.name, ())
      #expect(try await holder.run(pipeline).first(of: slot) == "local")
      #expect(try await pool.rows(Self.tryLock, 7) == [false])
      _ = try await holder.commit(changes: false)
      for _ in 0..<8 {
        #expect(try await pool.rows(Self.name, ()) == ["tests"])
        #expect(try await pool.rows(Self.tryLock, 7) == [true])
      }
    }
  }

  // MARK: Limits

  @Test func `the role's limit ends a statement and the connection serves on`() async throws {
    try await Self.withPool(setUp: Self.limit("statement_timeout = '50ms'")) { pool, _, _ async throws in
      let state = await Self.refusal { _ = try await pool.rows(Self.sleep, ()) }
      #expect(state == .queryCanceled)
      #expect(try await pool.rows(TrialStatements.number, 3) == [3])
    }
  }

  @Test func `the role's limit ends the wait for a lock`() async throws {
    try await Self.withPool(setUp: Self.limit("lock_timeout = '50ms'")) { pool, _, _ in
      let holder = try await pool.begin()
      _ = try await holder.run(Self.pipeline(Self.lock, 7))
      let state = await Self.refusal { _ = try await pool.begin().commit(Self.pipeline(Self.lock, 7)) }
      #expect(state == .lockNotAvailable)
      await holder.rollback()
      _ = try await pool.begin().commit(Self.pipeline(Self.lock, 7))
    }
  }

  @Test func `a transaction that idles too long is ended and its connection not lent out again`() async throws {
    try await Self.withPool(size: 1, setUp: Self.limit("idle_in_transaction_session_timeout = '30ms'")) {
      pool, database, _ in
      let transaction = try await pool.begin()
      _ = try await transaction.run(Self.pipeline(TrialStatements.insert, 1))
      // What it wrote can be written by somebody else once PostgreSQL has ended it.
      try await database.script("insert into kept (id) values (1)", as: .superuser)
      let error = await Self.failure { _ = try await transaction.commit() }
      switch error {
      case .connectionLost, .commitUnknown, .unavailable: break
      default: Issue.record("\(String(describing: error))")
      }
      await Self.waitUntilAvailable(pool)
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  // MARK: What breaks

  private static func waitUntilAvailable(_ pool: Pool) async {
    while !pool.isAvailable { await pool.loop.pause(milliseconds: 5) }
  }

  @Test func `an idle server's connection that is killed behind the pooler is not noticed`() async throws {
    try await Self.withPool(size: 1) { pool, database, _ in
      for _ in 0..<5 {
        let backend = try await pool.rows(TrialStatements.backend, ()).first ?? 0
        try await database.script("select pg_terminate_backend(\(backend), 5000)", as: .superuser)
        let next = await Self.next(of: pool)
        #expect(next != backend)
      }
    }
  }

  /// The server's process that answers next. The pooler may hand out a connection whose end it has not read yet; that is a
  /// broken connection to us, and a new one is made.
  private static func next(of pool: Pool) async -> Int32? {
    while true {
      await waitUntilAvailable(pool)
      do throws(PostgresError) {
        return try await pool.rows(TrialStatements.backend, ()).first
      } catch {
        guard case .connectionLost = error else { return nil }
      }
    }
  }

  @Test func `a server's connection that is killed in use tells which outcome is unknown`() async throws {
    try await Self.withPool(size: 1) { pool, database, _ in
      for commits in [false, true] {
        await Self.waitUntilAvailable(pool)
        let transaction = try await pool.begin()
        var pipeline = Self.pipeline(TrialStatements.insert, 1)
        let slot = pipeline.add(TrialStatements.backend, ())
        let backend = try await transaction.run(pipeline).first(of: slot) ?? 0
        async let error = Self.failure {
          _ =
            commits
            ? try await transaction.commit(Self.pipeline(Self.sleep, ()))
            : try await transaction.run(Self.pipeline(Self.sleep, ()))
        }
        try await database.script("select pg_terminate_backend(\(backend), 5000)", as: .superuser)
        switch await error {
        case .commitUnknown: #expect(commits)
        case .connectionLost: #expect(!commits)
        case let other: Issue.record("\(String(describing: other))")
        }
        await transaction.rollback()
      }
      await Self.waitUntilAvailable(pool)
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
    }
  }

  @Test func `a pooler that is killed and started again is connected to again`() async throws {
    try await Self.withPool { pool, _, pooler in
      let (availability, told) = AsyncStream.makeStream(of: Bool.self)
      pool.onAvailability = { told.yield($0) }
      for _ in 0..<3 {
        let transaction = try await pool.begin()
        _ = try await transaction.run(Self.pipeline(TrialStatements.insert, 1))
        try await pooler.kill()
        for await isUp in availability where !isUp { break }
        let start = ContinuousClock.now
        #expect(await Self.failure { _ = try await pool.begin() } != nil)
        #expect(start.duration(to: .now) < .seconds(1))
        await transaction.rollback()
        try await pooler.start()
        for await isUp in availability where isUp { break }
        #expect(try await pool.rows(TrialStatements.count, ()) == [0])
      }
    }
  }

  @Test func `a pooler that serves without PostgreSQL behind it is not taken for a database`() async throws {
    try await Self.withPool { pool, database, _ in
      let changes = Mutex<[Bool]>([])
      let (availability, told) = AsyncStream.makeStream(of: Bool.self)
      pool.onAvailability = { isUp in
        changes.withLock { $0.append(isUp) }
        told.yield(isUp)
      }
      // Nobody new is let in, and those who are in are put out.
      try await Self.open(database, false)
      while pool.isAvailable {
        _ = await Self.failure { _ = try await pool.rows(TrialStatements.number, 1) }
      }
      for _ in 0..<100 {
        #expect(await Self.failure { _ = try await pool.rows(TrialStatements.number, 1) } != nil)
        await pool.loop.pause(milliseconds: 5)
      }
      #expect(changes.withLock(\.self) == [false])
      try await Self.open(database, true)
      for await isUp in availability where isUp { break }
      #expect(try await pool.rows(TrialStatements.number, 3) == [3])
    }
  }

  private static func open(_ database: TestDatabase, _ isOpen: Bool) async throws {
    try await database.cluster.script("alter database \(database.name) with allow_connections \(isOpen)")
    guard !isOpen else { return }
    try await database.cluster.script(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '\(database.name)'")
  }

  // MARK: Sessions

  @Test func `a pooler that keeps sessions serves as well, when it leaves out what it does not know`() async throws {
    try await Self.withPool(
      size: 2, mode: .session, connections: 2, more: "ignore_startup_parameters = options"
    ) { pool, _, _ in
      for number in 0..<Int64(20) { #expect(try await pool.rows(TrialStatements.number, number) == [number]) }
      _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 1))
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }
}
