import EventLoop
import Postgres
import TestSupport

/// A superuser's connection on a thread of its own, which comes between what a daemon does.
struct Interferer: Sendable {
  private let loop: EventLoop
  private let connection: Connection

  static func with(_ daemon: TestDaemon, _ body: (Interferer) async throws -> Void) async throws {
    let loop = try EventLoop()
    try loop.start(name: "interferer")
    defer { loop.stop() }
    let connection = try await daemon.database.connect(as: .superuser, on: loop)
    let interferer = Interferer(loop: loop, connection: connection)
    do {
      try await body(interferer)
      await withTaskExecutorPreference(loop) { connection.close() }
    } catch {
      await withTaskExecutorPreference(loop) { connection.close() }
      throw error
    }
  }

  /// Runs statements by the simple protocol; returns when all are through.
  func script(_ sql: String) async throws {
    try await withTaskExecutorPreference(loop) { () async throws in try connection.script(sql) }
  }

  /// Returns once a connection of the daemon waits for a lock.
  func waitUntilDaemonWaitsForLock() async throws {
    try await waitUntil(
      """
      exists (
        select from pg_stat_activity
        where datname = current_database() and usename = 'kith_runtime' and wait_event_type = 'Lock')
      """)
  }

  /// Returns once a condition holds.
  func waitUntil(_ condition: String) async throws {
    try await script(
      "do $$ begin while not (\(condition)) loop perform pg_stat_clear_snapshot(); end loop; end $$")
  }

  /// Ends all connections of the daemon.
  func terminateDaemon() async throws {
    try await script(
      """
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = 'kith_runtime'
      """)
  }
}
