import EmbeddedPostgres
import EventLoop
import FoundationEssentials
import Glibc
import Postgres
import Synchronization

/// A cluster in a folder of its own, for one test.
struct ClusterTrial {
  let folder: String

  /// - Parameter nameBytes: the length of the folder's name.
  init(nameBytes: Int = 24) throws {
    var name = Array("/tmp/kith-trial-\(String(repeating: "x", count: max(nameBytes - 17, 0)))XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw EmbeddedPostgresError.folderUnusable(path: "/tmp", code: errno) }
    folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// One that another process made.
  init(existing folder: String) {
    self.folder = folder
  }

  /// Runs a cluster while `body` does its work, and ends it in good order.
  func run<Value>(
    folder: String? = nil, _ body: (EmbeddedPostgres, Journal) async throws -> Value
  ) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "trial")
    defer { loop.stop() }
    let journal = Journal()
    let server = try EmbeddedPostgres(
      stateFolder: folder ?? self.folder, on: loop, log: { journal.log($0) }, changed: { journal.change($0) })
    try await server.start()
    let running = Task { try await server.run() }
    do {
      let value = try await body(server, journal)
      running.cancel()
      try await running.value
      return value
    } catch {
      running.cancel()
      try await running.value
      throw error
    }
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// What a cluster has told so far.
final class Journal: Sendable {
  private struct Told {
    var lines: [String] = []
    var changes: [String] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let told = Mutex(Told())

  var lines: [String] { told.withLock(\.lines) }
  /// "ready" and "down", in order.
  var changes: [String] { told.withLock(\.changes) }

  func log(_ line: String) {
    told.withLock { $0.lines.append(line) }
  }

  func change(_ state: EmbeddedPostgres.State) {
    let word =
      switch state {
      case .ready: "ready"
      case .down: "down"
      }
    let due = told.withLock { told in
      told.changes.append(word)
      let count = told.changes.count
      let due = told.waiters.filter { $0.count <= count }
      told.waiters.removeAll { $0.count <= count }
      return due
    }
    for waiter in due { waiter.continuation.resume() }
  }

  /// Returns once there have been that many changes.
  func waitForChanges(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = told.withLock { told in
        if told.changes.count >= count { return true }
        told.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

extension EmbeddedPostgres {
  private static let countNotes = Statement<Void, Int>("count_notes", "select count(*)::integer from notes") {
    row throws(PostgresError) in Int(try row.integer(Int32.self))
  }

  /// Runs statements as a role.
  func script(_ sql: String, as role: Role = .owner) async throws {
    try await withConnection(as: role) { try $0.script(sql) }
  }

  /// The rows of the table `notes`.
  func noteCount() async throws -> Int {
    try await withConnection(as: .owner) { try await $0.rows(Self.countNotes, ()).first ?? -1 }
  }

  /// On a loop of its own, because a script blocks the one it runs on.
  private func withConnection<Value>(
    as role: Role, _ body: @Sendable (Connection) async throws -> sending Value
  ) async throws -> sending Value {
    let loop = try EventLoop()
    try loop.start(name: "trial-client")
    defer { loop.stop() }
    let settings = try ConnectionSettings(conninfo: conninfo(for: role), applicationName: "tests")
    return try await withTaskExecutorPreference(loop) {
      let connection = try await Connection.open(settings, on: loop)
      defer { connection.close() }
      return try await body(connection)
    }
  }
}
