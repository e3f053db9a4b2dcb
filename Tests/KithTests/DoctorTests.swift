import API
import Accounts
import Configuration
import FoundationEssentials
import Glibc
import Schema
import TestSupport
import Terminal
import Testing

@testable import kith

/// The checks of `kith doctor`, one by one.
@Suite struct DoctorTests {
  private static let second: Int64 = 1_000_000
  private static let now: Int64 = 1_795_000_000 * second

  private func status(_ change: (inout ServerStatus.Result) -> Void = { _ in }) -> ServerStatus.Result {
    var status = ServerStatus.Result()
    status.version = "0.1.0"
    status.schemaVersion = Schema.version
    status.database = DatabaseShape(
      state: .up, serverVersion: "15.14", roundTripMicroseconds: 90, time: Timestamp(microseconds: Self.now))
    status.time = Timestamp(microseconds: Self.now)
    status.connections = 3
    status.openFilesMax = 65_536
    status.limits.connectionsPerUID = 4096
    change(&status)
    return status
  }

  /// The verdicts that are not `ok`, by subject.
  private func troubles(_ status: ServerStatus.Result) -> [String: Finding.Verdict] {
    DaemonCheck(status, asked: Self.now...Self.now).findings.filter { $0.verdict != .ok }
      .reduce(into: [:]) { $0[$1.subject] = $1.verdict }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = "/tmp/kith-doctor-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func write(_ text: String, to file: String, mode: UInt32 = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: file))
    chmod(file, mode)
  }

  // MARK: Daemon

  @Test func `a healthy daemon has no finding but ok`() {
    #expect(troubles(status()).isEmpty)
  }

  @Test func `what waits in the spool is told when nothing keeps it from the database, and what is set aside always`() {
    func spool(_ change: (inout SpoolShape) -> Void) -> (inout ServerStatus.Result) -> Void {
      var shape = SpoolShape()
      change(&shape)
      return { [shape] in $0.spool = shape }
    }
    let waiting = spool { ($0.entries, $0.bytes, $0.oldestAt) = (2, 900, Timestamp(microseconds: Self.now)) }
    #expect(troubles(status(waiting)) == ["spool": .warning])
    for down in [DatabaseShape(state: .down), DatabaseShape(state: .up, readOnly: true)] {
      let trouble = troubles(
        status {
          waiting(&$0)
          $0.database = down
        })
      #expect(trouble == ["database": .failed])
    }
    let setAside = spool { $0.filesSetAside = 1 }
    #expect(troubles(status(setAside)) == ["spool": .warning])
    let elsewhere = spool { ($0.entries, $0.filesForOtherDatabases) = (1, 1) }
    #expect(troubles(status(elsewhere)) == ["spool": .warning])
  }

  @Test func `a database that is down or slow is told`() {
    #expect(troubles(status { $0.database = DatabaseShape(state: .down) }) == ["database": .failed])
    #expect(troubles(status { $0.database.roundTripMicroseconds = 50_001 }) == ["database": .warning])
    for state in [DatabaseState.up, .down] {
      let finding = DaemonCheck(
        status { $0.database = DatabaseShape(state: state, readOnly: true) }, asked: Self.now...Self.now
      ).findings.first { $0.subject == "database" }
      #expect(finding?.verdict == .failed)
      #expect(finding?.words.contains("read-only") == true)
      #expect(finding?.remedy?.contains("primary") == true)
    }
  }

  @Test func `another schema than this program's is told`() {
    #expect(troubles(status { $0.schemaVersion += 1 }) == ["schema": .warning])
  }

  @Test(arguments: [(1, false), (-1, false), (2, true), (-2, true), (86_400, true)])
  func `clocks may differ by a second`(_ seconds: Int64, _ isFailure: Bool) {
    let moment = Timestamp(microseconds: Self.now + seconds * Self.second)
    let expected: [String: Finding.Verdict] = isFailure ? ["time": .failed] : [:]
    #expect(troubles(status { $0.database.time = moment }) == expected)
    let both = status {
      $0.time = moment
      $0.database.time = moment
    }
    #expect(troubles(both) == expected)
  }

  @Test func `too few descriptors are told before and when they run out`() {
    #expect(troubles(status { $0.openFilesMax = 1024 }) == ["files": .warning])
    let full = status {
      $0.openFilesMax = 1024
      $0.connections = 1000
    }
    #expect(troubles(full) == ["files": .failed])
  }

  // MARK: Host

  @Test func `a full disk is told before it is full`() {
    func verdict(_ bytes: UInt64, _ inodes: Double) -> Finding.Verdict {
      StateFolderCheck.finding("/x", freeBytes: bytes, freeInodesShare: inodes).verdict
    }
    #expect(verdict(2 << 30, 0.5) == .ok)
    #expect(verdict(500 << 20, 0.5) == .warning)
    #expect(verdict(2 << 30, 0.02) == .warning)
    #expect(verdict(50 << 20, 0.5) == .failed)
    #expect(verdict(2 << 30, 0.001) == .failed)
    let absent = StateFolderCheck.finding("/nonexistent")
    #expect(absent.verdict == .warning)
    #expect(absent.remedy?.contains("root") == false)
    #expect(absent.remedy?.contains("start kithd") == true)
  }

  @Test func `a state folder that is not the daemon's alone is told`() throws {
    try withFolder { folder in
      func verdicts(owner: UInt32?) -> [String: Finding.Verdict] {
        StateFolderCheck.findings(folder, owner: owner).reduce(into: [:]) { $0[$1.subject] = $1.verdict }
      }
      chmod(folder, 0o700)
      #expect(verdicts(owner: geteuid())["state"] == nil)
      #expect(verdicts(owner: nil)["state"] == nil)
      #expect(verdicts(owner: geteuid() + 1)["state"] == .failed)
      // That of the PostgreSQL in it.
      mkdir("\(folder)/postgres", 0o700)
      chmod("\(folder)/postgres", 0o777)
      #expect(verdicts(owner: geteuid())["state"] == .failed)
      chmod("\(folder)/postgres", 0o700)
      chmod(folder, 0o770)
      #expect(verdicts(owner: nil)["state"] == .failed)
    }
  }

  @Test(arguments: [
    (#"{"version":1,"keys":[{"id":"k1","key":"KEY","state":"primary"}]}"#, Finding.Verdict.ok),
    (
      #"{"version":1,"keys":[{"id":"k1","key":"KEY","state":"primary"},{"id":"k0","key":"OTHER","state":"retired"}]}"#,
      .ok
    ),
    (
      #"{"version":1,"keys":[{"id":"k1","key":"KEY","state":"primary"},{"id":"k0","key":"KEY","state":"retired"}]}"#,
      .failed
    ),
    (#"{"version":1,"keys":[{"id":"k1","key":"KEY","state":"decrypt_only"}]}"#, .failed),
    (
      #"{"version":1,"keys":[{"id":"a","key":"KEY","state":"primary"},{"id":"b","key":"OTHER","state":"primary"}]}"#,
      .failed
    ),
    (#"{"version":1,"keys":[{"id":"k1","key":"c2hvcnQ=","state":"primary"}]}"#, .failed),
    (#"{"version":1,"keys":[{"id":"k1","key":"KEY","state":"main"}]}"#, .failed),
    (#"{"version":2,"keys":[{"id":"k1","key":"KEY","state":"primary"}]}"#, .failed),
    (#"{"version":1,"keys":[]}"#, .failed), ("{", .failed), ("", .failed), ("[]", .failed),
  ])
  func `a keyset has 32-byte keys and one primary`(_ text: String, _ verdict: Finding.Verdict) throws {
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    let other = Data(repeating: 8, count: 32).base64EncodedString()
    try withFolder { folder in
      try write(text.replacing("KEY", with: key).replacing("OTHER", with: other), to: "\(folder)/keyset.json")
      let finding = try #require(KeysetCheck.findings(file: "\(folder)/keyset.json").first)
      #expect(finding.verdict == verdict)
      #expect(!finding.words.contains(key) && !finding.words.contains(other))
    }
  }

  @Test func `a socket that is not one, and one that is not there, are told apart`() throws {
    try withFolder { folder in
      try write("", to: "\(folder)/file")
      let file = SocketCheck(path: "\(folder)/file")
      #expect(file.finding.words == "\(folder)/file is not a socket")
      #expect(!file.isOpen)
      #expect(SocketCheck(path: "\(folder)/none").finding.words.contains("is not there"))
    }
  }

  @Test func `a configuration that is wrong, or open to others, is told with what to do`() throws {
    try withFolder { folder in
      let file = "\(folder)/kith.json5"
      let good = """
        { database: "dbname=kith", state_dir: "\(folder)", keyset: "file:\(folder)/keyset.json",
          namespaces: [{ provider: "apple", tenant: "T" }], callers: [{ name: "a", uid: 0, methods: ["*"] }] }
        """
      let key = Data(repeating: 7, count: 32).base64EncodedString()
      let keyset = #"{"version":1,"keys":[{"id":"k1","key":"\#(key)","state":"primary"}]}"#
      let socket = SocketCheck(path: "\(folder)/none")
      func findings() -> [Finding] {
        ConfigurationCheck(file: file, socket: socket, isEmbedded: false, daemonUID: geteuid()).findings.filter {
          $0.subject != "disk"
        }
      }
      #expect(findings().map(\.verdict) == [.warning])
      try write(good, to: file)
      #expect(findings().map(\.verdict) == [.failed])
      try write(keyset, to: "\(folder)/keyset.json", mode: 0o644)
      #expect(findings().map(\.remedy) == ["chmod 0600 \(folder)/keyset.json"])
      try write(keyset, to: "\(folder)/keyset.json")
      #expect(findings().map(\.verdict) == [.ok, .ok])
      chmod(file, 0o622)
      #expect(findings().map(\.verdict) == [.failed, .ok, .ok])
      try write(good.replacing("state_dir", with: "state_dirr"), to: file)
      #expect(findings().map(\.words) == ["\(file):1: state_dirr: unknown key"])
      // What only the daemon's unit is given is no fault of the file.
      try write(good.replacing("file:\(folder)/keyset.json", with: "credential:keyset"), to: file)
      #expect(findings().map(\.verdict) == [.warning])
    }
  }

  @Test func `the state folder that is looked at is the one of the file, also where the file has a fault`() throws {
    try withFolder { folder in
      let file = "\(folder)/kith.json5"
      func disks(_ text: String, isEmbedded: Bool? = false) throws -> [Finding] {
        try write(text, to: file)
        let socket = SocketCheck(path: "\(folder)/none")
        return ConfigurationCheck(file: file, socket: socket, isEmbedded: isEmbedded, daemonUID: geteuid()).findings
          .filter { $0.subject == "disk" }
      }
      let found = try disks("{ state_dir: '\(folder)', namespace: [] }")
      #expect(found.count == 1 && found[0].words.contains(folder), "\(found)")
      // Any other folder would be a guess.
      #expect(try disks("{ state_dir: 7 }").isEmpty)
      #expect(try disks("{").isEmpty)
    }
  }

  @Test func `the configuration of a daemon with its own PostgreSQL is right also while it is down`() throws {
    try withFolder { folder in
      let file = "\(folder)/kith.json5"
      let text = """
        { state_dir: "\(folder)", namespaces: [{ provider: "apple", tenant: "T" }],
          callers: [{ name: "a", uid: 0, methods: ["*"] }] }
        """
      func verdicts() -> [Finding.Verdict] {
        ConfigurationCheck(
          file: file, socket: SocketCheck(path: "\(folder)/none"), isEmbedded: nil, daemonUID: geteuid()
        ).findings.filter { $0.subject == "configuration" }.map(\.verdict)
      }
      try write(text, to: file)
      // Nothing says that it is for --embedded.
      #expect(Set(verdicts()) == [.failed])
      mkdir("\(folder)/postgres", 0o700)
      #expect(verdicts() == [.ok])
      try write(text.replacing("state_dir", with: "database: 'dbname=kith', state_dir"), to: file)
      #expect(!verdicts().contains(.ok))
    }
  }

  // MARK: Printing

  @Test func `findings are wrapped behind their mark`() {
    let finding = Finding.failed(
      "database", "the daemon cannot reach PostgreSQL", remedy: "see that PostgreSQL runs, and where")
    #expect(
      finding.lines(widthMax: 30, palette: Palette(isColoured: false)) == [
        "FAIL  database: the daemon", "      cannot reach PostgreSQL", "      → see that PostgreSQL",
        "        runs, and where",
      ])
    #expect(finding.lines(widthMax: nil, palette: Palette(isColoured: false)).count == 2)
  }
}
