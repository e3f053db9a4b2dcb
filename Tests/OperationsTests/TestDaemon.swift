import Accounts
import EmbeddedPostgres
import EventLoop
import Operations
import Postgres
import Store
import TestSupport
import Testing

/// What one loop of a daemon holds: a loop on a thread of its own, and pools of a test's database.
struct TestDaemon: Sendable {
  let database: TestDatabase
  let loop: EventLoop
  let reads: Pool
  let writes: Pool

  /// The time that the tests take for now.
  static let now = Timestamp(microseconds: 1_796_000_000_000_000)

  let circumstances = Circumstances(
    now: { now }, random: { (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)) })

  /// Makes a database, fills it by a script of the owner, lends a daemon on it to `body`, and drops everything.
  static func with(_ seed: String = "", _ body: (TestDaemon) async throws -> Void) async throws {
    try await TestDatabase.with { database in
      if !seed.isEmpty { try await database.script(seed, as: .superuser) }
      let daemon = try await start(on: database)
      do {
        try await body(daemon)
        await daemon.stop()
      } catch {
        await daemon.stop()
        throw error
      }
    }
  }

  /// A daemon on a database; to be stopped.
  ///
  /// - Parameter settings: nil to connect directly.
  static func start(on database: TestDatabase, through settings: ConnectionSettings? = nil) async throws -> TestDaemon {
    let loop = try EventLoop()
    try loop.start(name: "test-daemon")
    let settings = try settings ?? database.settings()
    let daemon = TestDaemon(
      database: database, loop: loop, reads: Pool(settings, size: 2, on: loop),
      writes: Pool(settings, size: 4, on: loop))
    await withTaskExecutorPreference(loop) {
      await daemon.reads.startAndWait()
      await daemon.writes.startAndWait()
    }
    return daemon
  }

  func stop() async {
    await withTaskExecutorPreference(loop) {
      reads.close()
      writes.close()
    }
    loop.stop()
  }

  /// Runs code on the loop.
  func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(loop, operation: body)
  }

  /// The first column of the rows of a query, as text.
  func texts(_ sql: StaticString) async throws -> [String] {
    let connection = try await database.connect(as: .superuser, on: loop)
    return try await run {
      defer { connection.close() }
      return try await connection.rows(
        Statement<Void, String>("q", sql) { row throws(PostgresError) in try row.text() }, ())
    }
  }

  func count(_ sql: StaticString) async throws -> Int {
    Int(try await texts(sql).first ?? "") ?? -1
  }
}

extension Pool {
  /// Opens the connections and waits for the first.
  fileprivate func startAndWait() async {
    await withCheckedContinuation { continuation in
      onAvailability = { [self] isAvailable in
        guard isAvailable else { return }
        onAvailability = nil
        continuation.resume()
      }
      start()
    }
  }
}

extension ChangeCall<UserRecord> {
  /// A call by a tester, kept under a key if one is given.
  static func test(method: ExactText, key: ExactText? = nil, parameters: UInt8 = 0) -> ChangeCall {
    let caller = CallerName.tester
    return ChangeCall(
      caller: caller, peerUID: 4711,
      requestKey: key.map {
        RequestKey(caller: caller, method: method, key: $0, parametersDigest: Array(repeating: parameters, count: 32))
      },
      encode: { Array("{\"user\":\"\($0.user) \($0.status)\"}".utf8) })
  }
}

extension CallerName {
  static var tester: CallerName {
    guard let name = CallerName("tester") else { preconditionFailure("a word is a name") }
    return name
  }
}

extension ChangeReason {
  static var test: ChangeReason {
    guard let reason = ChangeReason("asked for by Mira") else { preconditionFailure("a sentence is a reason") }
    return reason
  }
}

/// SQL that fills databases.
enum Seed {
  /// Users 1…n are `0192…-0001` and so on; each with a name, one identity and one verified address.
  static func users(_ count: Int) -> String {
    """
    insert into kith.namespaces (provider, tenant) values ('apple', 'TEAM'), ('naver', 'client');
    insert into kith.users (id, profile, search_name)
      select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        json_build_object('name', json_build_object('full', 'Mira No' || n)), 'mira no' || n
      from generate_series(1, \(count)) n;
    insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
      select 1, 'subject-' || n, ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        ('01920001-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), 'register'
      from generate_series(1, \(count)) n;
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by)
      select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'mira' || n || '@example.org',
        'Mira' || n || '@example.org', now(), array[('01920001-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid]
      from generate_series(1, \(count)) n;
    """
  }

  /// Merges user 2 into user 1 and erases user 3, of whom nothing is left.
  static let mergedAndErased = """
    delete from kith.emails where user_id in (
      '01920000-0000-7000-8000-000000000002', '01920000-0000-7000-8000-000000000003');
    delete from kith.identities where user_id in (
      '01920000-0000-7000-8000-000000000002', '01920000-0000-7000-8000-000000000003');
    update kith.users set status = 'merged', merged_into = '01920000-0000-7000-8000-000000000001'
      where id = '01920000-0000-7000-8000-000000000002';
    update kith.users set status = 'erased', profile = '{}', search_name = ''
      where id = '01920000-0000-7000-8000-000000000003';
    """
}

/// Expects an operation to answer with a refusal.
func expect<Value>(
  _ expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation, from body: () async throws -> Value
) async {
  do {
    _ = try await body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch OperationError.refused(let refusal) {
    #expect(refusal == expected, sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
