/// A transaction on a leased connection.
///
/// BEGIN travels with the first statements and COMMIT with the last, so the shortest transaction that reads and then writes
/// takes two round trips. End it with ``commit(_:)`` or ``rollback()``; both give the connection back.
///
/// `@unchecked Sendable`: it belongs to its connection's loop and is touched on that loop's thread only.
public final class Transaction: @unchecked Sendable {
  private static let beginStatement = Statement<Void, Void>("begin", "begin") { _, _ in }
  private static let commitStatement = Statement<Void, Void>("commit", "commit") { _, _ in }
  private static let rollbackStatement = Statement<Void, Void>("rollback", "rollback") { _, _ in }

  private let connection: Connection
  private let pool: Pool
  private var hasBegun = false
  private var isOver = false

  init(on connection: Connection, of pool: Pool) {
    self.connection = connection
    self.pool = pool
  }

  /// One that is let go of without an end must not keep its connection, nor its locks.
  deinit {
    if !isOver { connection.close() }
  }

  /// Runs statements inside the transaction.
  public func run(_ pipeline: Pipeline) async throws(PostgresError) -> PipelineResults {
    try await send(pipeline, thenCommit: false)
  }

  /// Runs the last statements and commits.
  ///
  /// - Parameter changes: whether anything was changed. If so a connection that breaks now is
  ///   ``PostgresError/commitUnknown(_:)``.
  public func commit(_ pipeline: Pipeline = Pipeline(), changes: Bool = true) async throws(PostgresError)
    -> PipelineResults
  {
    defer { end() }
    do throws(PostgresError) {
      let results = try await send(pipeline, thenCommit: true, changes: changes)
      guard results.endInCommit else {
        throw .unexpectedAnswer("COMMIT rolled back, for a statement had failed before")
      }
      if changes {
        pool.note(isReadOnly: false)
        pool.onCommit?()
      }
      return results
    } catch {
      switch error {
      case .server, .readOnly: await undo()
      case .unavailable, .connectionLost, .commitUnknown, .unexpectedAnswer: break
      }
      throw error
    }
  }

  /// Undoes everything. Never fails: if the connection is gone PostgreSQL rolls back by itself.
  public func rollback() async {
    guard !isOver else { return }
    defer { end() }
    if hasBegun { await undo() }
  }

  private func undo() async {
    var pipeline = Pipeline()
    pipeline.add(Self.rollbackStatement)
    do throws(PostgresError) {
      _ = try await connection.run(pipeline, commits: false)
    } catch {
      // Nobody else may go on in this transaction.
      connection.close()
    }
  }

  private func send(
    _ pipeline: Pipeline, thenCommit: Bool, changes: Bool = false
  ) async throws(PostgresError) -> PipelineResults {
    var whole = Pipeline()
    let skipped = hasBegun ? 0 : 1
    if !hasBegun { whole.add(Self.beginStatement) }
    whole.append(pipeline)
    if thenCommit { whole.add(Self.commitStatement) }
    hasBegun = true
    do throws(PostgresError) {
      return try await connection.run(whole, commits: thenCommit && changes).skipping(skipped)
    } catch {
      if case .readOnly = error { pool.foundReadOnly(error) }
      throw error
    }
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    pool.giveBack(connection)
  }
}
