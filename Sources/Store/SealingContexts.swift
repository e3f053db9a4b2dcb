import Accounts
import Vault

/// Where each kind of row is sealed; whoever seals, opens or wraps anew asks here. A change of what stands here makes what
/// is stored unreadable.
extension SealingContext {
  /// The details of a person in `kith.registrations`.
  ///
  /// - Parameter version: counts the sealings of the row.
  public static func registration(_ id: RegistrationID, version: Int64, databaseID: UniqueID) -> SealingContext {
    SealingContext(
      domain: .heldRegistration, accessGroup: "", account: "", service: "", userID: nil, recordID: id.unique,
      recordVersion: version, databaseID: databaseID)
  }

  /// The secret in `kith.credentials`.
  ///
  /// - Parameters:
  ///   - userID: the row's; with another user the secret is sealed again.
  ///   - version: the row's.
  public static func credential(
    _ id: UniqueID, accessGroup: ExactText, account: ExactText, service: ExactText, userID: UserID?, version: Int64,
    databaseID: UniqueID
  ) -> SealingContext {
    SealingContext(
      domain: .credential, accessGroup: accessGroup, account: account, service: service, userID: userID, recordID: id,
      recordVersion: version, databaseID: databaseID)
  }

  /// An answer in `kith.request_keys`, which is sealed once.
  ///
  /// - Parameter recordID: the row's `record_id`, made for it.
  public static func keptAnswer(
    _ recordID: UniqueID, caller: CallerName, method: ExactText, databaseID: UniqueID
  ) -> SealingContext {
    SealingContext(
      domain: .keptAnswer, accessGroup: "", account: caller.text, service: method, userID: nil, recordID: recordID,
      recordVersion: 1, databaseID: databaseID)
  }
}
