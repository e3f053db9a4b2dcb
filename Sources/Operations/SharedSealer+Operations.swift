import Postgres
import Store
import Vault

extension SharedSealer {
  /// - Throws: `database_unavailable` before the database was reached for the first time.
  func known() throws(OperationError) -> Sealer {
    guard let current else { throw .databaseUnavailable(.unavailable("the database was not reached yet")) }
    return current
  }
}

extension StoredRegistration {
  /// Nil for a registration that is completed.
  func held(by sealer: SharedSealer) throws(OperationError) -> HeldRegistration? {
    let sealer = try sealer.known()
    return try OperationError.translating(sealing: "registration \(registration)") { () throws(SealingError) in
      try opened(by: sealer)
    }
  }
}
