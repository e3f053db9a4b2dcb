import Accounts
import Vault

/// Where each kind of row is sealed; whoever seals, opens or wraps anew asks here. A change of what stands here makes what
/// is stored unreadable.
extension SealingContext {
  /// The details of a person in `kith.registrations`.
  ///
  /// - Parameters:
  ///   - identity: whose they are; else who can write to the database could have them told to somebody else, or somebody else
  ///     be taken for the holder of the address in them.
  ///   - version: counts the sealings of the row.
  public static func registration(
    _ id: RegistrationID, of identity: IdentityKey, version: Int64, databaseID: UniqueID
  ) -> SealingContext {
    SealingContext(
      domain: .heldRegistration, accessGroup: ExactText(identity.namespace.provider.rawValue),
      account: identity.subject.text, service: identity.namespace.tenant, userID: nil, recordID: id.unique,
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
  /// - Parameters:
  ///   - recordID: the row's `record_id`, made for it.
  ///   - key: the row's request key; else an answer could be moved to another call of the same caller.
  public static func keptAnswer(
    _ recordID: UniqueID, caller: CallerName, method: ExactText, key: ExactText, databaseID: UniqueID
  ) -> SealingContext {
    SealingContext(
      domain: .keptAnswer, accessGroup: caller.text, account: key, service: method, userID: nil, recordID: recordID,
      recordVersion: 1, databaseID: databaseID)
  }
}
