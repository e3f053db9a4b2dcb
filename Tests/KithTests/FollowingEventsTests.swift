import Foundation
import Glibc
import TestSupport
import Testing

/// The worked example of the documentation, and `kith event tail`, as processes beside a real daemon.
@Suite(.timeLimit(.minutes(5))) struct FollowingEventsTests {
  private static let python = "/usr/bin/env"
  private static let hasPython = (try? run(python, ["python3", "-c", "import sqlite3"]).exitCode) == 0

  private static func run(_ program: String, _ arguments: [String]) throws -> (output: String, exitCode: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), process.terminationStatus)
  }

  private func withDaemon(_ body: (DaemonFolder, TestDatabase, TestPeer) async throws -> Void) async throws {
    try await DaemonFolder.with { folder, database in
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        let peer = try TestPeer(path: folder.app)
        defer { peer.close() }
        try await body(folder, database, peer)
        try await daemon.stop()
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
    }
  }

  // MARK: The example

  /// An app with its database, which runs the example now and then.
  private struct App {
    private static let script =
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
      + "/docs/examples/follow_merges.py"

    let socket: String
    let database: String

    func follow() throws {
      let ended = try FollowingEventsTests.run(python, ["python3", Self.script, socket, database, "--once"])
      #expect(ended.exitCode == 0)
    }

    /// The example as it runs for ever.
    struct Follower {
      private let process = Process()
      private let pipe = Pipe()

      fileprivate init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
      }

      /// Waits until it has printed something; false if it ends without.
      func output(upTo text: String) -> Bool {
        var said = ""
        while !said.contains(text) {
          let more = pipe.fileHandleForReading.availableData
          guard !more.isEmpty else { return false }
          said += String(decoding: more, as: UTF8.self)
        }
        return true
      }

      /// Kills it, because it inherits whatever signals the thread that starts it holds off; whether it ran until then.
      @discardableResult
      func end() -> Bool {
        let isRunning = process.isRunning
        if isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return isRunning && process.terminationReason == .uncaughtSignal
      }
    }

    func startFollowing() throws -> Follower { try Follower(["python3", Self.script, socket, database]) }

    /// Runs SQL in the app's database; gives the rows, each with its columns joined by blanks.
    @discardableResult
    func sql(_ statement: String) throws -> [String] {
      let code = """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1])
        for row in db.execute(sys.argv[2]): print(*row)
        db.commit()
        """
      let ended = try FollowingEventsTests.run(python, ["python3", "-c", code, database, statement])
      #expect(ended.exitCode == 0)
      return ended.output.split(separator: "\n").map(String.init)
    }

    func order(_ what: String, by user: String) throws {
      try sql("insert into orders (user_id, original_user_id, what) values ('\(user)', '\(user)', '\(what)')")
    }

    /// Whose each order is.
    func owners() throws -> [String] { try sql("select what, user_id from orders order by what") }
  }

  /// Tells of a merge, or of its end, as a merge does.
  private static func told(_ type: String, _ merge: Int, from absorbed: String, into survivor: String) -> String {
    """
    insert into kith.events (id, type, at, user_id, caller, data)
    values (gen_random_uuid(), '\(type)', now(), '\(survivor)', 'tests', json_build_object(
      'merge_id', '01930000-0000-7000-8000-00000000000\(merge)', 'from', '\(absorbed)', 'into', '\(survivor)'));
    """
  }

  @Test(.enabled(if: hasPython)) func `the example follows merges and their undoing, however often it is told`()
    async throws
  {
    try await withDaemon { folder, database, peer in
      let app = App(socket: folder.app, database: "\(folder.path)/app.db")
      var ids: [String] = []
      for name in ["a", "b", "c"] { ids.append(try await peer.signIn("apple", name).userID ?? "") }
      let (a, b, c) = (ids[0], ids[1], ids[2])
      try app.follow()
      for (what, user) in [("a1", a), ("b1", b), ("c1", c)] { try app.order(what, by: user) }

      // A into B, what B orders then, and B into C.
      try await database.script(Self.told("user.merged", 1, from: a, into: b), as: .superuser)
      try app.follow()
      #expect(try app.owners() == ["a1 \(b)", "b1 \(b)", "c1 \(c)"])
      try app.order("b2", by: b)
      try await database.script(Self.told("user.merged", 2, from: b, into: c), as: .superuser)
      try app.follow()
      #expect(try app.owners() == ["a1 \(c)", "b1 \(c)", "b2 \(c)", "c1 \(c)"])
      try app.order("c2", by: c)

      // Told again from the beginning, as after it was killed before it acknowledged.
      try await database.script("update kith.consumers set place = 0", as: .superuser)
      try app.follow()
      #expect(try app.owners() == ["a1 \(c)", "b1 \(c)", "b2 \(c)", "c1 \(c)", "c2 \(c)"])

      // Both are undone, the latest first; what came later stays.
      try await database.script(
        Self.told("user.unmerged", 2, from: b, into: c) + Self.told("user.unmerged", 1, from: a, into: b),
        as: .superuser)
      try app.follow()
      let undone = ["a1 \(a)", "b1 \(b)", "b2 \(b)", "c1 \(c)", "c2 \(c)"]
      #expect(try app.owners() == undone)
      try await database.script("update kith.consumers set place = 0", as: .superuser)
      try app.follow()
      #expect(try app.owners() == undone)
      #expect(
        try app.sql("select what from orders where substr(what, 1, 1) = 'a' and original_user_id <> '\(a)'") == [])
    }
  }

  @Test(.enabled(if: hasPython)) func `the example goes on where it was when the daemon was restarted`() async throws {
    try await DaemonFolder.with { folder, database in
      let app = App(socket: folder.app, database: "\(folder.path)/app.db")
      var ids: [String] = []
      var daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        let peer = try TestPeer(path: folder.app)
        for name in ["a", "b"] { ids.append(try await peer.signIn("apple", name).userID ?? "") }
        peer.close()
        let (a, b) = (ids[0], ids[1])
        try app.follow()
        try app.order("a1", by: a)
        let follower = try app.startFollowing()
        defer { follower.end() }
        try await database.script(Self.told("user.merged", 1, from: a, into: b), as: .superuser)
        #expect(follower.output(upTo: "user.merged \(a) \(b)\n"))
        // Once in good order, and once killed.
        for (number, isKilled) in [false, true].enumerated() {
          if isKilled { try await daemon.endAtOnce() } else { try await daemon.stop() }
          let (type, owner) = number == 0 ? ("user.unmerged", a) : ("user.merged", b)
          try await database.script(Self.told(type, number + 1, from: a, into: b), as: .superuser)
          daemon = try await DaemonProcess.start(folder.arguments)
          try await daemon.ready()
          #expect(follower.output(upTo: "\(type) \(a) \(b)\n"))
          #expect(try app.owners() == ["a1 \(owner)"])
        }
        #expect(follower.end())
        try await daemon.stop()
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
    }
  }

  // MARK: The command

  @Test func `event tail prints what happens, acknowledges it, and ends in good order when interrupted`() async throws {
    try await withDaemon { folder, database, peer in
      for number in 0..<2 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try BuiltProgram.path("kith"))
        process.arguments = ["event", "tail", "--consumer", "desk", "--socket", folder.admin]
        process.environment = [:]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let user = try await peer.signIn("apple", "person\(number)").userID ?? "?"
        var said = ""
        while !said.contains(user), process.isRunning {
          said += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(said.split(separator: "\n").count == 1)
        #expect(said.contains("user.registered user=\(user) by=tests"))
        #expect(try await database.texts("select place::text from kith.consumers") == ["\(number + 1)"])
      }
      // Who names no consumer leaves none behind.
      let unnamed = try Self.run(
        try BuiltProgram.path("kith"),
        ["event", "tail", "--from", "oldest", "--count", "2", "--json", "--socket", folder.admin])
      #expect(unnamed.exitCode == 0)
      #expect(unnamed.output.split(separator: "\n").count == 2)
      #expect(try await database.count("select count(*)::text from kith.consumers") == 1)
    }
  }
}
