import Accounts
import Postgres
import Store

/// Lists the e-mail addresses of a user, in the order of their canonical forms.
public struct ListUserEmails: Sendable {
  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Parameter user: also a former id, of which the survivor's addresses are listed.
  /// - Throws: `not_found`, or `user_erased`.
  public func list(
    of user: UserID, page: PageRequest<EmailAddress>
  ) async throws(OperationError) -> ListPage<EmailRecord> {
    let reading = try await UserReading.read(user, from: reads) { user, pipeline in
      pipeline.add(
        ListEmails.statement, ListEmails.Page(user: user, after: page.after?.canonical, limit: page.probeLimit))
    }
    return try await OperationError.translating { () throws(PostgresError) in
      ListPage(try reading.results.rows(of: reading.plan), page) { $0.canonical }
    }
  }
}
