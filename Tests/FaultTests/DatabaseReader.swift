import EventLoop
import Postgres

/// Looks into a database, beside the daemon and as somebody who may see everything.
struct DatabaseReader: Sendable {
  let conninfo: String

  /// The first column of a query's rows, which must be text.
  func texts(_ sql: StaticString) async throws -> [String] {
    try await withConnection { connection in
      // What a long run leaves is more than a daemon's statement may look through.
      try connection.script("set statement_timeout = 0")
      return try await connection.rows(
        Statement<Void, String>("q", sql) { row throws(PostgresError) in try row.text() }, ())
    }
  }

  func count(_ sql: StaticString) async throws -> Int {
    Int(try await texts(sql).first ?? "") ?? -1
  }

  func script(_ sql: String) async throws {
    try await withConnection { try $0.script(sql) }
  }

  /// The request keys whose answers are kept.
  func keptKeys() async throws -> Set<String> {
    Set(try await texts("select key from kith.request_keys"))
  }

  /// The daemons' server processes.
  func backends() async throws -> [Int32] {
    try await texts(
      "select pid::text from pg_stat_activity where usename = 'kith_runtime' and datname = current_database()"
    ).compactMap { Int32($0) }
  }

  /// Returns once no transaction of a daemon is open. To be asked when no daemon runs.
  func waitUntilQuiet() async throws {
    try await script(
      """
      do $$ begin
        while exists (select from pg_stat_activity where usename = 'kith_runtime' and datname = current_database()) loop
          perform pg_stat_clear_snapshot();
        end loop;
      end $$
      """)
  }

  private func withConnection<Value: Sendable>(
    _ body: @Sendable (Connection) async throws -> Value
  ) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "reader")
    defer { loop.stop() }
    let settings = try ConnectionSettings(conninfo: conninfo, applicationName: "tests")
    return try await withTaskExecutorPreference(loop) {
      let connection = try await Connection.open(settings, on: loop)
      defer { connection.close() }
      return try await body(connection)
    }
  }
}
