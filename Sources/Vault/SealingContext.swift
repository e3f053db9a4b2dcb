import Accounts

/// Where a sealed record belongs. It opens nowhere else: not in another row, column, version or database.
public struct SealingContext: Hashable, Sendable {
  /// What kind of thing is sealed; the texts are part of what is stored and never change.
  public enum Domain: String, Hashable, Sendable, CaseIterable {
    case credential = "kith.credential"
    case heldRegistration = "kith.registration"
    case keptAnswer = "kith.answer"
  }

  public let domain: Domain
  public let accessGroup: ExactText
  public let account: ExactText
  public let service: ExactText
  /// Nil for what is nobody's (yet).
  public let userID: UserID?
  public let recordID: UniqueID
  /// Another content is another version, even under the same record id.
  public let recordVersion: Int64
  public let databaseID: UniqueID

  public init(
    domain: Domain, accessGroup: ExactText, account: ExactText, service: ExactText, userID: UserID?,
    recordID: UniqueID, recordVersion: Int64, databaseID: UniqueID
  ) {
    self.domain = domain
    self.accessGroup = accessGroup
    self.account = account
    self.service = service
    self.userID = userID
    self.recordID = recordID
    self.recordVersion = recordVersion
    self.databaseID = databaseID
  }

  /// The additional data of both layers of a record, every field preceded by its length.
  ///
  /// - Parameter keyID: nil for the content, which stays as it is when its data key is wrapped by another root key. Ids
  ///   are never empty, so the data of one layer is never that of the other.
  func additionalData(wrappedBy keyID: KeyID?) -> [UInt8] {
    var fields = LengthPrefixedFields()
    fields.append(domain.rawValue.utf8)
    fields.append([SealedRecord.version, SealedRecord.algorithm])
    fields.append(accessGroup.string.utf8)
    fields.append(account.string.utf8)
    fields.append(service.string.utf8)
    if let userID { fields.append(userID.unique) } else { fields.append([]) }
    fields.append(recordID)
    fields.append(recordVersion)
    if let keyID { fields.append(keyID.bytes) } else { fields.append([]) }
    fields.append(databaseID)
    return fields.bytes
  }
}
