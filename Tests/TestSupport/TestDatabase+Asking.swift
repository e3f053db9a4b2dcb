import EventLoop
import Postgres

extension TestDatabase {
  /// The first column of the rows of a query, which must be text, read by the superuser.
  public func texts(_ sql: StaticString) async throws -> [String] {
    let loop = try EventLoop()
    try loop.start(name: "test-query")
    defer { loop.stop() }
    let connection = try await connect(as: .superuser, on: loop)
    return try await withTaskExecutorPreference(loop) {
      defer { connection.close() }
      return try await connection.rows(
        Statement<Void, String>("q", sql) { row throws(PostgresError) in try row.text() }, ())
    }
  }

  /// The one number that a query gives, as text.
  public func count(_ sql: StaticString) async throws -> Int {
    Int(try await texts(sql).first ?? "") ?? -1
  }
}
