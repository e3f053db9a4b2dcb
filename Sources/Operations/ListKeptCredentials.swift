import Accounts
import Postgres
import Store

/// Lists credentials, and what was done to one; never what is sealed.
public struct ListKeptCredentials: Sendable {
  private let reads: Pool
  private let circumstances: Circumstances

  public init(reads: Pool, circumstances: Circumstances) {
    self.reads = reads
    self.circumstances = circumstances
  }

  /// Those in some groups that have not expired, in the order of their places.
  public func list(
    _ filter: ListCredentials.Filter, in groups: AccessGroups, page: PageRequest<CredentialPlace>
  ) async throws(OperationError) -> ListPage<CredentialRecord> {
    let question = ListCredentials.Page(
      groups: groups, filter: filter, after: page.after, now: circumstances.now(), limit: page.probeLimit)
    let statement = filter.user == nil ? ListCredentials.byPlace : ListCredentials.byUser
    return try await OperationError.translating { () throws(PostgresError) in
      ListPage(try await reads.rows(statement, question), page) { $0.place.place }
    }
  }

  /// What was done at a place, the oldest first, also when the credential is gone.
  ///
  /// - Throws: `not_found` where there never was one.
  public func history(
    of place: CredentialPlace, page: PageRequest<CredentialVersions.Position>
  ) async throws(OperationError) -> ListPage<CredentialVersions.Record> {
    let question = CredentialVersions.Page(place: place, after: page.after, limit: page.probeLimit)
    let found = try await OperationError.translating { () throws(PostgresError) in
      ListPage(try await reads.rows(CredentialVersions.list, question), page) { $0.position.place }
    }
    guard !found.items.isEmpty || page.after != nil else { throw .refused(.notFound) }
    return found
  }
}
