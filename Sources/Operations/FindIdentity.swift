import Accounts
import Postgres
import Store

/// Finds one identity.
public struct FindIdentity: Sendable {
  /// By what an identity is looked for.
  public enum Selector: Sendable {
    case id(IdentityID)
    case key(StoredKey)
  }

  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Throws: `not_found`.
  public func find(_ selector: Selector) async throws(OperationError) -> IdentityRecord {
    try await OperationError.translating { () throws(PostgresError) in
      switch selector {
      case .id(let id): try await reads.rows(GetIdentity.byID, id).first
      case .key(let key): try await reads.rows(GetIdentity.byKey, key).first
      }
    }.orNotFound()
  }
}
