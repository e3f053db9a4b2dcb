import EventLoop
import FoundationEssentials
import Glibc
import Migrations
import Postgres

/// A primary and a standby that follows it synchronously: what the primary acknowledges, the standby has.
public struct ReplicatedPair: Sendable {
  private static let versionsFolder = "/usr/lib/postgresql"

  private let folder: String
  private let programs: String
  private let primary: DaemonProcess
  private let standby: DaemonProcess

  /// Makes both, with the schema in the database `kith`, lends them to `body` and removes them.
  public static func with(_ body: (ReplicatedPair) async throws -> Void) async throws {
    // Short, because a socket's address holds 107 bytes.
    let folder = "/tmp/kith-rep-\(getpid())"
    try ServerAccount.current().makeFolder(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let programs = try newestPrograms()
    let primary = try await startPrimary(in: folder, programs: programs)
    do {
      let standby = try await startStandby(in: folder, programs: programs)
      do {
        let pair = ReplicatedPair(folder: folder, programs: programs, primary: primary, standby: standby)
        try await pair.waitForEachOther()
        try await body(pair)
      } catch {
        try? await standby.endAtOnce()
        throw error
      }
      try await standby.endAtOnce()
    } catch {
      try? await primary.endAtOnce()
      throw error
    }
    try await primary.endAtOnce()
  }

  /// What leads a daemon to whichever of the two takes writes.
  public var conninfo: String {
    "host='\(folder)/p,\(folder)/s' dbname=kith user=kith_runtime target_session_attrs=read-write"
  }

  /// What names both, the standby first, and says no more.
  public var conninfoOfStandbyFirst: String {
    "host='\(folder)/s,\(folder)/p' dbname=kith user=kith_runtime"
  }

  /// What leads a daemon to the standby.
  public var conninfoOfStandbyAlone: String { "host='\(folder)/s' dbname=kith user=kith_runtime" }

  /// What leads a superuser to the standby.
  public var standbyConninfo: String { Self.conninfo(of: "s", in: folder) }

  /// Ends the primary at once, as a machine that loses its power.
  public func killPrimary() async throws { try await primary.endAtOnce() }

  /// Has the standby take writes.
  public func promote() async throws {
    try await Self.script("select pg_promote(true, 30)", on: standbyConninfo)
  }

  // MARK: Making them

  private static func newestPrograms() throws -> String {
    let versions = try FileManager.default.contentsOfDirectory(atPath: versionsFolder).compactMap { Int($0) }
    return "\(versionsFolder)/\(versions.max() ?? 0)/bin"
  }

  private static func startPrimary(in folder: String, programs: String) async throws -> DaemonProcess {
    try await run(
      "\(programs)/initdb", "--pgdata", "\(folder)/primary", "--username", "postgres", "--auth", "trust", "--no-sync",
      "--encoding", "UTF8", "--locale", "C", "--no-instructions")
    try configure("\(folder)/primary", socketFolder: "\(folder)/p")
    let primary = try await start("\(folder)/primary", programs: programs, until: "ready to accept connections")
    do {
      try await script("create database kith", on: conninfo(of: "p", in: folder, database: "postgres"))
      try await RunningLoop.with { loop in
        let migrator = try await Migrator.open(conninfo: conninfo(of: "p", in: folder), on: loop)
        try await migrator.up()
        await migrator.close()
      }
      return primary
    } catch {
      try? await primary.endAtOnce()
      throw error
    }
  }

  private static func startStandby(in folder: String, programs: String) async throws -> DaemonProcess {
    try await run(
      "\(programs)/pg_basebackup", "--pgdata", "\(folder)/standby", "--host", "\(folder)/p", "--username", "postgres",
      "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync")
    try configure("\(folder)/standby", socketFolder: "\(folder)/s")
    return try await start("\(folder)/standby", programs: programs, until: "ready to accept read-only connections")
  }

  /// The last setting of a name counts, so that a copy can be told to differ.
  private static func configure(_ data: String, socketFolder: String) throws {
    try ServerAccount.current().makeFolder(socketFolder)
    let file = URL(filePath: "\(data)/postgresql.conf")
    let text = """

      listen_addresses = ''
      unix_socket_directories = '\(socketFolder)'
      fsync = off
      wal_level = replica
      max_connections = 60
      shared_buffers = 16MB
      wal_retrieve_retry_interval = '100ms'

      """
    // In place, so that it stays the server's own.
    let configuration = try Data(contentsOf: file) + Data(text.utf8)
    try configuration.write(to: file)
  }

  private static func start(_ data: String, programs: String, until text: String) async throws -> DaemonProcess {
    let server = try await DaemonProcess.start(program: "\(programs)/postgres", ["-D", data])
    do {
      _ = try await server.line(containing: text)
      return server
    } catch {
      try? await server.endAtOnce()
      throw error
    }
  }

  private static let synchronous = Statement<Void, Int64>(
    "synchronous_standbys", "select count(*) from pg_stat_replication where sync_state = 'sync'",
    decode: { row throws(PostgresError) in try row.integer() })

  /// From here on the primary acknowledges nothing that the standby does not have.
  private func waitForEachOther() async throws {
    try await Self.withConnection(Self.conninfo(of: "p", in: folder)) { connection in
      try connection.script("alter system set synchronous_standby_names = '*'")
      try connection.script("select pg_reload_conf()")
      // A session learns of it between two statements.
      while try await connection.rows(Self.synchronous, ()) != [1] {}
    }
  }

  // MARK: Tools

  private static func run(_ program: String, _ arguments: String...) async throws {
    let process = try await DaemonProcess.start(program: program, arguments)
    guard try await process.exit() == .exited(0) else {
      throw DaemonProcess.Missing(lines: try await process.said().map(\.text), ending: try await process.exit())
    }
  }

  private static func conninfo(of host: String, in folder: String, database: String = "kith") -> String {
    "host=\(folder)/\(host) dbname=\(database) user=postgres"
  }

  private static func script(_ sql: String, on conninfo: String) async throws {
    try await withConnection(conninfo) { try $0.script(sql) }
  }

  private static func withConnection(
    _ conninfo: String, _ body: @escaping @Sendable (Connection) async throws -> Void
  ) async throws {
    var limits = ConnectionSettings.Limits()
    limits.statementMilliseconds = 60_000
    let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests", limits: limits)
    try await RunningLoop.with { loop in
      try await withTaskExecutorPreference(loop) { () async throws in
        let connection = try await Connection.open(settings, on: loop)
        defer { connection.close() }
        try await body(connection)
      }
    }
  }
}
