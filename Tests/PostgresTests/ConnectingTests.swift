import Dispatch
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing
import UnixSocket

@testable import Postgres

/// How a host is found among several, and that nobody else waits meanwhile.
@Suite struct ConnectingTests {

  /// What may be wrong with a host that nothing is heard of.
  enum BlackHole: CaseIterable, Sendable {
    /// The connection is made, and then nothing comes.
    case neverAnswers
    /// Whoever wants to connect waits for those who came before.
    case fullBacklog
  }

  /// Lends a listening descriptor that nobody accepts from, and its port.
  private static func withBlackHole(
    _ kind: BlackHole, at host: UInt32 = 0x7F00_0001, port: UInt16 = 0, _ body: (UInt16) async throws -> Void
  ) async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = port.bigEndian
    try #require(Self.with(&address) { bind(listener, $0, $1) } == 0)
    try #require(listen(listener, kind == .fullBacklog ? 0 : 8) == 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try #require(Self.with(&address) { address, _ in getsockname(listener, address, &length) } == 0)
    var fillers: [Int32] = []
    defer { for filler in fillers { close(filler) } }
    if kind == .fullBacklog {
      for _ in 0..<4 {
        let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        fillers.append(filler)
        _ = Self.with(&address) { connect(filler, $0, $1) }
      }
    }
    try await body(UInt16(bigEndian: address.sin_port))
  }

  private static func with<Value>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func socketFolder(of database: TestDatabase) throws -> Substring {
    try #require(database.conninfo(for: .superuser).split(separator: "'").dropFirst().first)
  }

  private static func onLoop(_ body: @escaping (EventLoop) async throws -> Void) async throws {
    try await RunningLoop.with { loop in
      try await withTaskExecutorPreference(loop) { () async throws in try await body(loop) }
    }
  }

  @Test(arguments: BlackHole.allCases)
  func `a host that is a black hole is given up for the next, and others are served meanwhile`(
    kind: BlackHole
  ) async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await Self.withBlackHole(kind) { port in
        let conninfo =
          "host='127.0.0.1,\(try Self.socketFolder(of: database))' port=\(port),5432 dbname=\(database.name) user=postgres"
        try await Self.onLoop { loop in
          let busy = try await database.connect(as: .superuser, on: loop)
          let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests")
          let start = ContinuousClock.now
          let isOpen = Mutex(false)
          let opening = Task(executorPreference: loop) {
            defer { isOpen.withLock { $0 = true } }
            return try await Connection.open(settings, on: loop)
          }
          var answered = 0
          while !isOpen.withLock(\.self) {
            #expect(try await busy.rows(TrialStatements.number, 1) == [1])
            answered += 1
          }
          let connection = try await opening.value
          // So long a daemon that starts waits for its database; the one host's limit is shorter.
          #expect(start.duration(to: .now) < .seconds(5))
          #expect(answered > 50)
          #expect(try await connection.rows(TrialStatements.number, 5) == [5])
          connection.close()
          busy.close()
        }
      }
    }
  }

  // MARK: Host names

  /// A resolver that answers only when the test lets it.
  private final class SlowResolver: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let count = Atomic<Int>(0)
    let answer: HostNames.Answer

    init(_ answer: HostNames.Answer) { self.answer = answer }

    var asked: Int { count.load(ordering: .relaxed) }

    var hostNames: HostNames {
      HostNames { [self] _ in
        count.add(1, ordering: .relaxed)
        gate.wait()
        return answer
      }
    }

    func letAnswer() { gate.signal() }
  }

  @Test func `while a name is looked up the loop serves, and those who ask for it share the look-up`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await Self.withRelay(to: database) { port in
        try await Self.onLoop { loop in
          let resolver = SlowResolver(.success(["127.0.0.1"]))
          let hostNames = resolver.hostNames
          let settings = try ConnectionSettings(
            conninfo: "host=db.invalid port=\(port) dbname=\(database.name) user=postgres", applicationName: "tests")
          let busy = try await database.connect(as: .superuser, on: loop)
          let opening = (0..<8).map { _ in
            Task(executorPreference: loop) { try await Connection.open(settings, hostNames: hostNames, on: loop) }
          }
          for _ in 0..<100 { #expect(try await busy.rows(TrialStatements.number, 1) == [1]) }
          resolver.letAnswer()
          for task in opening {
            let connection = try await task.value
            #expect(try await connection.rows(TrialStatements.number, 5) == [5])
            connection.close()
          }
          #expect(resolver.asked == 1)
          busy.close()
        }
      }
    }
  }

  @Test func `a resolver that does not answer is given up for the next host, and is asked by one thread`() async throws
  {
    try await TestDatabase.with(isMigrated: false) { database in
      let conninfo =
        "host='db.invalid,\(try Self.socketFolder(of: database))' dbname=\(database.name) user=postgres"
      try await Self.onLoop { loop in
        let resolver = SlowResolver(.success(["127.0.0.1"]))
        let hostNames = resolver.hostNames
        defer { resolver.letAnswer() }
        let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests")
        async let first = Connection.open(settings, hostNames: hostNames, on: loop)
        async let second = Connection.open(settings, hostNames: hostNames, on: loop)
        for connection in try await [first, second] {
          #expect(try await connection.rows(TrialStatements.number, 5) == [5])
          connection.close()
        }
        #expect(resolver.asked == 1)
      }
    }
  }

  @Test func `every address of a name is tried, each with its own limit`() async throws {
    try await TestDatabase.with(isMigrated: false) { database in
      try await Self.withRelay(to: database) { port in
        try await Self.withBlackHole(.neverAnswers, at: 0x7F00_0002, port: port) { _ in
          try await Self.onLoop { loop in
            // Nobody listens at the first, on this port; the second is the black hole.
            let hostNames = HostNames { _ in .success(["127.0.0.3", "127.0.0.2", "127.0.0.1"]) }
            let settings = try ConnectionSettings(
              conninfo: "host=db.invalid port=\(port) dbname=\(database.name) user=postgres", applicationName: "tests")
            let connection = try await Connection.open(settings, hostNames: hostNames, on: loop)
            #expect(try await connection.rows(TrialStatements.number, 5) == [5])
            connection.close()
          }
        }
      }
    }
  }

  @Test func `a name that does not exist is told as the reason`() async throws {
    try await Self.onLoop { loop in
      let settings = try ConnectionSettings(conninfo: "host=db.invalid dbname=x", applicationName: "tests")
      let hostNames = HostNames { _ in .failure(HostNames.LookupFailure(text: "Name or service not known")) }
      await #expect {
        _ = try await Connection.open(settings, hostNames: hostNames, on: loop)
      } throws: { "\($0)".contains("db.invalid") && "\($0)".contains("not known") }
    }
  }

  @Test func `the system's names are found as numbers`() async throws {
    try await Self.onLoop { loop async throws in
      let answer = await HostNames.shared.addresses(of: "localhost", withinMilliseconds: 10_000, on: loop)
      #expect(try answer.get().contains("127.0.0.1"))
    }
  }

  @Test(arguments: [
    ("host=/run/postgresql", nil), ("host=@abstract", nil), ("dbname=x", nil), ("host=db hostaddr=192.0.2.1", nil),
    ("host=db.example.org", "db.example.org"), ("postgresql://db.example.org/x", "db.example.org"),
    ("host=192.0.2.1", "192.0.2.1"),
  ])
  func `only what is no path and has no address is looked up`(conninfo: String, name: String?) throws {
    let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests")
    #expect(settings.hosts.map { ConnectionSettings.hostName(in: $0) } == [name])
  }

  // MARK: Options

  @Test func `every standby comes before any other host when a standby is preferred`() throws {
    let settings = try ConnectionSettings(
      conninfo: "host=a,b target_session_attrs=prefer-standby", applicationName: "tests")
    #expect(
      settings.hosts.map { "\($0["host"] ?? "") \($0["target_session_attrs"] ?? "")" }
        == ["a standby", "b standby", "a any", "b any"])
  }

  @Test func `a peer that vanished is given up by TCP, unless the operator says otherwise`() throws {
    let ours = try ConnectionSettings(conninfo: "host=a", applicationName: "tests").hosts
    #expect(ours.first?["tcp_user_timeout"] == "8000")
    let theirs = try ConnectionSettings(conninfo: "host=a tcp_user_timeout=0", applicationName: "tests").hosts
    #expect(theirs.first?["tcp_user_timeout"] == "0")
  }

  /// Lends a port on the machine's own address that leads to the cluster, which has none itself.
  private static func withRelay(to database: TestDatabase, _ body: (UInt16) async throws -> Void) async throws {
    let server = "UNIX-CONNECT:\(try socketFolder(of: database))/.s.PGSQL.5432"
    let relay = try await DaemonProcess.start(
      program: "/usr/bin/socat", ["-d", "-d", "TCP-LISTEN:0,bind=127.0.0.1,fork", server])
    do {
      let line = try await relay.line(containing: "listening on").text
      try await body(try #require(line.split(separator: ":").last.flatMap { UInt16($0) }))
      try await relay.endAtOnce()
    } catch {
      try await relay.endAtOnce()
      throw error
    }
  }
}
