import Accounts
import Postgres
import Store

/// Tells how far apps are behind the events.
public struct ListConsumers: Sendable {
  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// How many events each consumer of every caller is not done with.
  public func all() async throws(OperationError) -> [Consumers.Lag] {
    try await OperationError.translating { () throws(PostgresError) in try await reads.rows(Consumers.list, ()) }
  }

  /// How many events about some users each consumer of every caller is not done with, counted up to
  /// ``Consumers/behindMax``.
  public func behind(about users: [UserID]) async throws(OperationError) -> [Consumers.Lag] {
    try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(Consumers.behind, users)
    }
  }
}
