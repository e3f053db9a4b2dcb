import Accounts
import Postgres
import Store

/// Lists the identities of a user, the oldest first.
public struct ListUserIdentities: Sendable {
  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Parameter user: also a former id, of which the survivor's identities are listed.
  /// - Throws: `not_found`, or `user_erased`.
  public func list(
    of user: UserID, page: PageRequest<IdentityID>
  ) async throws(OperationError) -> ListPage<IdentityRecord> {
    let reading = try await UserReading.read(user, from: reads) { user, pipeline in
      pipeline.add(
        ListIdentities.statement, ListIdentities.Page(user: user, after: page.after, limit: page.probeLimit))
    }
    return try await OperationError.translating { () throws(PostgresError) in
      ListPage(try reading.results.rows(of: reading.plan), page) { $0.identity.place }
    }
  }
}
