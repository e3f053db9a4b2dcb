import EventLoop
import FoundationEssentials
import Glibc
import Postgres
import Testing

@testable import EmbeddedPostgres

/// What needs a process of its own: being killed, and being somebody else.
@Suite(.serialized) struct ProcessTests {
  @Test func `a killed daemon takes its server along and its data is whole`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String] in
      let loop = try EventLoop()
      try loop.start(name: "victim")
      let server = try EmbeddedPostgres(stateFolder: folder, on: loop, log: { _ in })
      try await server.start()
      try await server.script("create table notes (x integer); grant all on notes to kith_owner", as: .superuser)
      try await server.script("insert into notes values (1)")
      kill(getpid(), SIGKILL)
    }
    try await trial.run { server, _ in
      let count = try await server.noteCount()
      #expect(count == 1)
    }
  }

  @Test func `a killed daemon and a killed server are recovered from`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String] in
      let loop = try EventLoop()
      try loop.start(name: "victim")
      let server = try EmbeddedPostgres(stateFolder: folder, on: loop, log: { _ in })
      try await server.start()
      try await server.script("create table notes (x integer); grant all on notes to kith_owner", as: .superuser)
      try await server.script("insert into notes values (1)")
      if let process = await server.processID { kill(process, SIGKILL) }
      kill(getpid(), SIGKILL)
    }
    try await trial.run { server, journal in
      let count = try await server.noteCount()
      #expect(count == 1)
      #expect(journal.lines.contains { $0.contains("automatic recovery") })
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become somebody else."))
  func `an ordinary user runs it as itself`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    chown(trial.folder, nobody, nobody)
    await #expect(processExitsWith: .success) { [folder = trial.folder as String] in
      guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else { exit(9) }
      let trial = ClusterTrial(existing: folder)
      try await trial.run { server, _ in
        try await server.script("create table notes (x integer); grant all on notes to kith_owner", as: .superuser)
        let count = try await server.noteCount()
        let owner = Filesystem.status(of: folder + "/postgres/data")?.st_uid
        guard count == 0, owner == nobody else { exit(8) }
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become somebody else."))
  func `another user of the machine cannot connect`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    try await trial.run { server, _ in
      _ = await #expect(processExitsWith: .success) { [conninfo = server.conninfo(for: .runtime) as String] in
        guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else { exit(9) }
        let loop = try EventLoop()
        try loop.start(name: "stranger")
        let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests")
        let isRefused = await withTaskExecutorPreference(loop) {
          do throws(PostgresError) {
            try await Connection.open(settings, on: loop).close()
            return false
          } catch {
            return "\(error)".contains("ermission denied")
          }
        }
        guard isRefused else { exit(8) }
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root has a server user that is not itself."))
  func `a folder that the server's user may not pass through is named`() async throws {
    let trial = try ClusterTrial()
    defer { trial.remove() }
    let closed = trial.folder + "/closed"
    mkdir(closed, 0o700)
    chmod(trial.folder, 0o755)
    let error = await #expect(throws: EmbeddedPostgresError.self) {
      try await trial.run(folder: closed + "/state") { _, _ in }
    }
    guard case .folderClosed(folder: closed, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.hint?.contains("chmod") == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: closed) == [], "nothing half made stays")
  }
}

/// A user without rights, from Debian's base system.
private let nobody: uid_t = 65534
