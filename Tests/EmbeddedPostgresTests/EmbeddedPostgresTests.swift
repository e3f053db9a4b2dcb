import EventLoop
import FoundationEssentials
import Glibc
import Postgres
import Testing

@testable import EmbeddedPostgres

@Suite(.serialized) struct EmbeddedPostgresTests {
  @Test func `a cluster is made once and keeps its data over a restart`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { server, _ in
      try await server.script("create schema kith; create table kith.made (x integer)")
      try await server.script("create table notes (x integer)", as: .superuser)
      try await server.script("grant all on notes to kith_owner; insert into notes values (1)", as: .superuser)
      try await server.script("select 1", as: .runtime)
      try await server.script("select 1", as: .reader)
    }
    #expect(!FileManager.default.fileExists(atPath: trial.folder + "/postgres/data/postmaster.pid"))
    try await trial.run { server, journal in
      let count = try await server.noteCount()
      #expect(count == 1)
      #expect(journal.lines.allSatisfy { !$0.contains("recovery") }, "it was ended in good order")
    }
  }

  @Test func `what is missing on the way to the state folder is made, for nobody else to list`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    chmod(trial.folder, 0o755)
    try await trial.run(folder: trial.folder + "/a/b/kith") { _, _ in }
    for path in ["a", "a/b", "a/b/kith"] {
      let found = Filesystem.status(of: "\(trial.folder)/\(path)")
      // Root's server is somebody else, who passes through.
      #expect(found.map { $0.st_mode & 0o7777 } == (geteuid() == 0 ? 0o711 : 0o700), "\(path)")
    }
  }

  @Test func `only private folders and sockets are made`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { server, _ in
      for (path, mode) in [("data", 0o700), ("run", 0o700), ("lock", 0o600)] as [(String, mode_t)] {
        let found = Filesystem.status(of: "\(trial.folder)/postgres/\(path)")
        #expect(found.map { $0.st_mode & 0o7777 } == mode, "\(path)")
      }
      let socket = Filesystem.status(of: "\(trial.folder)/postgres/run/\(ClusterFolder.socketName)")
      #expect(socket.map { $0.st_mode & 0o777 } == 0o700)
      await #expect(throws: PostgresError.self) {
        try await server.script("create table kith_runtime_made (x integer)", as: .runtime)
      }
    }
  }

  @Test func `a killed server comes back by itself with what was committed`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { server, journal in
      try await server.script("create table notes (x integer); grant all on notes to kith_owner", as: .superuser)
      for number in 1...3 {
        try await server.script("insert into notes values (\(number))")
        let process = try #require(await server.processID)
        let before = journal.changes.count
        kill(process, SIGKILL)
        await journal.waitForChanges(before + 2)
        let count = try await server.noteCount()
        #expect(count == number)
      }
      #expect(journal.changes == ["ready", "down", "ready", "down", "ready", "down", "ready"])
    }
  }

  @Test func `a second process on one folder is refused`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { server, _ in
      let error = await #expect(throws: EmbeddedPostgresError.self) { try await trial.run { _, _ in } }
      guard case .folderInUse = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try await server.script("select 1")
    }
  }

  @Test func `data of another version is refused and left alone`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { _, _ in }
    let versionFile = trial.folder + "/postgres/data/PG_VERSION"
    try Filesystem.replaceFile(versionFile, with: "9\n", mode: 0o600)
    let before = try FileManager.default.subpathsOfDirectory(atPath: trial.folder).sorted()
    let error = await #expect(throws: EmbeddedPostgresError.self) { try await trial.run { _, _ in } }
    guard case .versionMismatch(_, dataVersion: 9, let installed) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!installed.isEmpty)
    #expect(error?.hint?.contains("pg_upgrade") == true)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: trial.folder).sorted() == before)
  }

  @Test func `a cluster half made by a crash is made anew`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try FileManager.default.createDirectory(
      atPath: trial.folder + "/postgres/data.unfinished/base", withIntermediateDirectories: true)
    try await trial.run { server, _ in try await server.script("select 1") }
    #expect(!FileManager.default.fileExists(atPath: trial.folder + "/postgres/data.unfinished"))
  }

  @Test func `a process id that now is somebody else's does not keep it from starting`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { _, _ in }
    try Filesystem.replaceFile(
      trial.folder + "/postgres/data/postmaster.pid", with: "\(getpid())\n\(trial.folder)\n", mode: 0o600)
    try await trial.run { server, _ in try await server.script("select 1") }
  }

  @Test func `a path too long for a socket gets a short private one`() async throws {
    let trial = try ClusterTrial(nameBytes: 120)
    defer { trial.remove() }
    try await trial.run { server, journal in
      try await server.script("select 1")
      #expect(journal.lines.contains { $0.contains("too long for a socket") })
    }
  }

  @Test(arguments: ["postgres", "postgres/config", "postgres/run"])
  func `a folder of the cluster that is open to others is refused, and left alone`(_ name: String) async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { _, _ in }
    let path = trial.folder + "/" + name
    chmod(path, 0o777)
    try await expectRefusal(of: path, in: trial, because: "is open to others than its owner (mode 0777)")
    #expect(Filesystem.status(of: path).map { $0.st_mode & 0o7777 } == 0o777)
  }

  @Test func `a short folder for the socket that somebody else made first is refused`() async throws {
    let trial = try ClusterTrial(nameBytes: 120)
    defer { trial.remove() }
    let daemon = try ServerUser.current()
    let server = try ServerUser.forServer(runBy: daemon, unprivileged: "postgres")
    let path = try ClusterFolder(stateFolder: trial.folder, daemon: daemon, server: server).socketFolder
    #expect(path.hasPrefix("/tmp/") || path.hasPrefix("/run/"))
    defer { unlink(path) }
    symlink(trial.folder, path)
    try await expectRefusal(of: path, in: trial, because: "is no folder, but something that uid \(geteuid()) made")
    unlink(path)
    defer { rmdir(path) }
    mkdir(path, 0o700)
    guard geteuid() == 0 else { return }
    lchown(path, server.userID + 1, server.groupID)
    try await expectRefusal(
      of: path, in: trial, because: "belongs to uid \(server.userID + 1), not to uid \(server.userID)")
  }

  private func expectRefusal(of path: String, in trial: ClusterTrial, because why: String) async throws {
    let error = await #expect(throws: EmbeddedPostgresError.self) { try await trial.run { _, _ in } }
    #expect(error?.description == "\(path) \(why)")
    #expect(error?.hint != nil)
  }

  @Test func `two words of a server's answer tell its version`() {
    #expect(ServerBinaries.majorVersion(in: "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)") == 15)
    #expect(ServerBinaries.majorVersion(in: "postgres (PostgreSQL) 18beta1") == 18)
    #expect(ServerBinaries.majorVersion(in: "") == nil)
  }
}
