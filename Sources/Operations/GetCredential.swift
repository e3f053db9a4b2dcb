import Accounts
import Crypto
import EventLoop
import Postgres
import Store
import Vault

/// Finds a credential with its secret.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class GetCredential: @unchecked Sendable {
  public typealias Outcome = Result<(credential: CredentialRecord, secret: SecretBytes), OperationError>

  private let lookup: CredentialLookup
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(on loop: EventLoop, reads: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    lookup = CredentialLookup(on: loop, from: reads)
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// Tells the credential, or `not_found` for one that is not there or has expired. An old row that was put back does not
  /// open.
  public func get(_ place: CredentialPlace, then tell: @escaping (Outcome) -> Void) {
    lookup.find(place) { [self] found in
      do throws(OperationError) {
        guard let found = try found.mapError({ OperationError($0) }).get(),
          !found.record.isExpired(at: circumstances.now())
        else { throw .refused(.notFound) }
        tell(.success((found.record, try found.open(with: try sealer.known()))))
      } catch {
        tell(.failure(error))
      }
    }
  }
}

extension StoredCredential {
  /// The secret.
  ///
  /// - Throws: `.sealing`, also for an old row that was put back.
  func open(with sealer: Sealer) throws(OperationError) -> SecretBytes {
    try OperationError.translating(sealing: record.journalName) { () throws(SealingError) in
      guard newestVersion == record.version else { throw .invalid }
      return try sealer.keyRing.open(SealedRecord(sealed), in: record.sealingContext(in: sealer.databaseID))
    }
  }
}

extension CredentialRecord {
  /// Seals a secret for this very version.
  func seal(_ secret: SecretBytes, with sealer: Sealer) throws(OperationError) -> WriteCredential.Input {
    try OperationError.translating(sealing: journalName) { () throws(SealingError) in
      let sealed = try sealer.keyRing.seal(secret, in: sealingContext(in: sealer.databaseID))
      return WriteCredential.Input(record: self, sealed: sealed)
    }
  }

  fileprivate func sealingContext(in databaseID: UniqueID) -> SealingContext {
    .credential(
      id.unique, accessGroup: place.accessGroup, account: place.account, service: place.service, userID: user,
      version: version, databaseID: databaseID)
  }

  /// Without the account, which may be somebody's name.
  fileprivate var journalName: String { "credential \(id), version \(version)" }
}
