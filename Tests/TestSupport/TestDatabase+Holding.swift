import EventLoop
import Postgres

extension TestDatabase {
  /// Holds the locks that a query takes while `body` runs, so that what needs them waits.
  public func holding<Value>(_ sql: String, _ body: () async throws -> Value) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "test-holder")
    defer { loop.stop() }
    let connection = try await connect(as: .superuser, on: loop)
    try await withTaskExecutorPreference(loop) { try connection.script("begin; \(sql)") }
    do {
      let value = try await body()
      try await withTaskExecutorPreference(loop) {
        try connection.script("commit")
        connection.close()
      }
      return value
    } catch {
      await withTaskExecutorPreference(loop) { connection.close() }
      throw error
    }
  }
}
