import Accounts
import Postgres
import Store

/// Looks for users by the beginning of their id, an address or its domain, a provider's id, or a name.
///
/// What somebody looks for is taken in every way in which it can be; the hits of all together are answered in the order of
/// the ids.
public struct SearchUsers: Sendable {
  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Parameters:
  ///   - query: any text; one that cannot be anything has no hits.
  ///   - status: only users of this status.
  public func search(
    _ query: ExactText, status: UserStatus? = nil, page: PageRequest<UserID>, include: Set<UserPart> = []
  ) async throws(OperationError) -> ListPage<UserRecord> {
    let forms = UserSearchForm.forms(of: query.string)
    return try await OperationError.translating { () throws(PostgresError) in
      let hits = try await reads.rows(
        FindMatchingUsers.statement,
        FindMatchingUsers.Page(forms: forms, status: status, after: page.after, limit: page.probeLimit))
      let found = ListPage(hits, page) { $0.user.place }
      let details = try await UserDetails.load(include, of: found.items, from: reads)
      return found.map { users in
        users.indices.map { UserRecord(user: users[$0].user, status: users[$0].status, details: details?[$0]) }
      }
    }
  }
}
