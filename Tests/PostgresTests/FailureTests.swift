import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite struct FailureTests {
  private static let quotient = Statement<Int64, Int64>(
    "failure_quotient", "select 6 / $1::int8", encode: { $1.add($0) },
    decode: { row throws(PostgresError) in try row.integer() })
  private static let nap = Statement<Void, Void>("failure_nap", "select pg_sleep(0.25)", encode: { _, _ in })
  private static let unlimited = Statement<Void, Void>(
    "failure_unlimited", "select set_config('statement_timeout', '0', false)", encode: { _, _ in })
  private static let sleep = Statement<Void, Void>("failure_sleep", "select pg_sleep(60)", encode: { _, _ in })

  private static func withPool(
    size: Int = 1, pooling: ConnectionSettings.Pooling = .session,
    limits: ConnectionSettings.Limits = .init(), setUp: String = "select 1",
    _ body: (Pool, TestDatabase) async throws -> Void
  ) async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await database.script(setUp, as: .superuser)
      let settings = try ConnectionSettings(
        conninfo: database.conninfo(for: .superuser), applicationName: "tests", pooling: pooling, limits: limits)
      try await RunningLoop.with { loop in
        try await withTaskExecutorPreference(loop) { () async throws in
          let pool = Pool(settings, size: size, on: loop)
          pool.start()
          defer { pool.close() }
          try await pool.waitUntilOpen()
          try await body(pool, database)
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

  /// Submits without waiting, so that several are in flight; gives what each came to.
  private static func submit(_ pipelines: [Pipeline], to connection: Connection) async -> [Connection.Outcome] {
    let (outcomes, teller) = AsyncStream<Connection.Outcome>.makeStream()
    for pipeline in pipelines { connection.submit(pipeline, commits: false) { teller.yield($0) } }
    var found: [Connection.Outcome] = []
    for await outcome in outcomes {
      found.append(outcome)
      if found.count == pipelines.count { break }
    }
    return found
  }

  @Test func `a statement whose first use was skipped does not fail for those behind`() async throws {
    try await Self.withPool { pool, _ in
      var doomed = Self.pipeline(Self.quotient, 0)
      let lost = doomed.add(TrialStatements.number, 1)
      let fine = Self.pipeline(TrialStatements.number, 7)
      let outcomes = await Self.submit([doomed, fine, fine], to: try pool.leastBusy())
      #expect(throws: PostgresError.self) { try outcomes[0].get() }
      for outcome in outcomes[1...] {
        #expect(try outcome.get().rows(of: Pipeline.Slot(index: 0, decode: lost.decode)) == [7])
      }
      #expect(try await pool.rows(TrialStatements.number, 8) == [8])
      #expect(try await pool.rows(Self.quotient, 2) == [3])
    }
  }

  @Test func `a commit after a failed statement is not taken for one`() async throws {
    try await Self.withPool(setUp: "create table kept (id int8 primary key)") { pool, _ in
      let transaction = try await pool.begin()
      _ = try await transaction.run(Self.pipeline(TrialStatements.insert, 1))
      #expect(await Self.failure { _ = try await transaction.run(Self.pipeline(TrialStatements.insert, 1)) } != nil)
      #expect(await Self.failure { _ = try await transaction.commit() } != nil)
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
      _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 2))
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  @Test func `nothing else runs within somebody's transaction`() async throws {
    try await Self.withPool(setUp: "create table kept (id int8 primary key)") { pool, _ in
      let transaction = try await pool.begin()
      _ = try await transaction.run(Self.pipeline(TrialStatements.insert, 1))
      // The only connection is leased, so there is none to share.
      let error = await Self.failure { _ = try await pool.rows(TrialStatements.count, ()) }
      guard case .unavailable = error else {
        Issue.record("shared a leased connection: \(String(describing: error))")
        return await transaction.rollback()
      }
      await transaction.rollback()
      #expect(try await pool.rows(TrialStatements.count, ()) == [0])
    }
  }

  @Test func `a transaction that is let go of gives its locks back`() async throws {
    try await Self.withPool(setUp: "create table kept (id int8 primary key)") { pool, _ in
      _ = try await pool.begin().run(Self.pipeline(TrialStatements.insert, 1))
      await pool.loop.pause(milliseconds: 1)
      while !pool.isAvailable { await pool.loop.pause(milliseconds: 5) }
      _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 1))
      #expect(try await pool.rows(TrialStatements.count, ()) == [1])
    }
  }

  @Test func `a constraint checked at the end of a pipeline without BEGIN fails that pipeline alone`() async throws {
    try await Self.withPool(setUp: "create table kept (id int8 unique deferrable initially deferred)") { pool, _ in
      _ = try await pool.run(Self.pipeline(TrialStatements.insert, 1), commits: true)
      let outcomes = await Self.submit(
        [Self.pipeline(TrialStatements.insert, 1), Self.pipeline(TrialStatements.insert, 2)], to: try pool.leastBusy())
      guard case .failure(.server(let error)) = outcomes[0] else {
        Issue.record("\(outcomes[0])")
        return
      }
      #expect(error.state == .uniqueViolation)
      #expect(throws: Never.self) { try outcomes[1].get() }
      #expect(try await pool.rows(TrialStatements.count, ()) == [2])
    }
  }

  @Test func `a session that PostgreSQL ended in a transaction is not lent out again`() async throws {
    var limits = ConnectionSettings.Limits()
    limits.idleInTransactionMilliseconds = 30
    try await Self.withPool(limits: limits) { pool, _ in
      let transaction = try await pool.begin()
      let first = try await transaction.run(Self.pipeline(TrialStatements.backend, ()))
      _ = first
      await pool.loop.pause(milliseconds: 100)
      let error = await Self.failure { _ = try await transaction.commit() }
      switch error {
      case .connectionLost, .commitUnknown, .unavailable: break
      default: Issue.record("\(String(describing: error))")
      }
      while !pool.isAvailable { await pool.loop.pause(milliseconds: 5) }
      #expect(try await pool.rows(TrialStatements.number, 3) == [3])
    }
  }

  @Test func `with transaction pooling those that come while all are busy wait`() async throws {
    try await Self.withPool(size: 2, pooling: .transaction) { pool, _ in
      let answers = try await withThrowingTaskGroup(of: Int64.self) { group in
        for number in 0..<Int64(200) {
          group.addTask(executorPreference: pool.loop) {
            try await pool.rows(TrialStatements.number, number).first ?? -1
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.sorted() == Array(0..<200))
    }
  }

  @Test func `a connection that breaks tells which outcome is unknown`() async throws {
    try await Self.withPool(size: 1) { pool, database in
      for commits in [false, true] {
        while !pool.isAvailable { await pool.loop.pause(milliseconds: 5) }
        let backend = try await pool.rows(TrialStatements.backend, ()).first ?? 0
        let connection = try pool.leastBusy()
        async let error = Self.failure { _ = try await connection.run(Self.pipeline(Self.sleep, ()), commits: commits) }
        try await database.script("select pg_terminate_backend(\(backend))", as: .superuser)
        switch await error {
        case .commitUnknown: #expect(commits)
        case .connectionLost: #expect(!commits)
        case let other: Issue.record("\(String(describing: other))")
        }
      }
    }
  }

  @Test func `a backend that says nothing is given up, and one that answers is not`() async throws {
    var limits = ConnectionSettings.Limits()
    limits.statementMilliseconds = 1000
    try await Self.withPool(limits: limits) { pool, _ in
      let backend = try await pool.rows(TrialStatements.backend, ()).first ?? 0
      let connection = try pool.leastBusy()
      connection.closeIfSilent(graceMilliseconds: 0)
      #expect(connection.isOpen)
      kill(backend, SIGSTOP)
      defer { kill(backend, SIGCONT) }
      async let error = Self.failure { _ = try await connection.run(Self.pipeline(Self.sleep, ()), commits: true) }
      await pool.loop.pause(milliseconds: 1100)
      connection.closeIfSilent(graceMilliseconds: 10_000)
      #expect(connection.isOpen)
      connection.closeIfSilent(graceMilliseconds: 10)
      #expect(!connection.isOpen)
      guard case .commitUnknown = await error else {
        Issue.record("not told as unknown")
        return
      }
    }
  }

  @Test func `statements within their limit are waited for, however many a pipeline has`() async throws {
    var limits = ConnectionSettings.Limits()
    limits.statementMilliseconds = 600
    try await Self.withPool(limits: limits) { pool, _ in
      let connection = try pool.leastBusy()
      // PostgreSQL's own clock is not what is tried here.
      _ = try await connection.rows(Self.unlimited, ())
      var pipeline = Self.pipeline(Self.nap, ())
      for _ in 0..<4 { pipeline.add(Self.nap, ()) }
      let slow = pipeline
      async let results = connection.run(slow, commits: true)
      let start = pool.loop.nowMilliseconds
      while connection.inFlightCount > 0 || pool.loop.nowMilliseconds == start {
        connection.closeIfSilent(graceMilliseconds: 200)
        await pool.loop.pause(milliseconds: 10)
      }
      #expect(pool.loop.nowMilliseconds > start + UInt64(limits.statementMilliseconds) + 200)
      _ = try await results
    }
  }

  @Test func `a lock that is not given in time has its own state`() async throws {
    var limits = ConnectionSettings.Limits()
    limits.lockMilliseconds = 50
    try await Self.withPool(size: 2, limits: limits, setUp: "create table kept (id int8 primary key)") { pool, _ in
      let holder = try await pool.begin()
      _ = try await holder.run(Self.pipeline(TrialStatements.insert, 1))
      let error = await Self.failure { _ = try await pool.begin().commit(Self.pipeline(TrialStatements.insert, 1)) }
      guard case .server(let refused) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(refused.state == .lockNotAvailable)
      await holder.rollback()
    }
  }

  @Test func `ten thousand queries and a hundred connections leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      try await Self.withPool { pool, database in
        for _ in 0..<1000 { _ = try await pool.rows(TrialStatements.number, 1) }
        let (descriptors, pages) = (OpenDescriptors.count, Self.residentPages)
        for number in 0..<Int64(10_000) { _ = try await pool.rows(TrialStatements.number, number) }
        for _ in 0..<100 { try await database.connect(as: .superuser, on: pool.loop).close() }
        await pool.loop.pause(milliseconds: 20)
        #expect(OpenDescriptors.count < descriptors + 10)
        #expect(Self.residentPages - pages < 1024)
      }
    }
  }

  private static var residentPages: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return -1 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return words.count > 1 ? Int(words[1]) ?? -1 : -1
  }
}
