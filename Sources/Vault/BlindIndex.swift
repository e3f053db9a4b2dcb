import Accounts
import Crypto

/// Stands for a value that is stored sealed, so that it can be looked up: who has no key learns from it only which
/// values are equal, within one field of one database.
public struct BlindIndex: Hashable, Sendable {
  public let keyID: KeyID
  /// 32 bytes.
  public let code: [UInt8]
}

extension KeyRing {
  /// The index to store beside a value that is sealed now.
  ///
  /// - Parameters:
  ///   - value: in its canonical form; equal values have equal bytes.
  ///   - field: what the value is, so that equal values of two fields are not seen to be equal.
  public func blindIndex(
    of value: SecretBytes, field: ExactText, databaseID: UniqueID
  ) throws(SealingError) -> BlindIndex {
    try blindIndex(of: value, field: field, databaseID: databaseID, keys: primary)
  }

  /// The indexes under which a value may be found: by the primary key, then by each that only opens.
  public func blindIndexes(
    of value: SecretBytes, field: ExactText, databaseID: UniqueID
  ) throws(SealingError) -> [BlindIndex] {
    var indexes: [BlindIndex] = []
    for keys in usable {
      indexes.append(try blindIndex(of: value, field: field, databaseID: databaseID, keys: keys))
    }
    return indexes
  }

  private func blindIndex(
    of value: SecretBytes, field: ExactText, databaseID: UniqueID, keys: WorkingKeys
  ) throws(SealingError) -> BlindIndex {
    // The value last: what stands before it has a length of its own, so the value needs none.
    var fields = LengthPrefixedFields()
    fields.append(field.string.utf8)
    fields.append(databaseID)
    do {
      return BlindIndex(
        keyID: keys.id, code: try HMACSHA256.code(for: fields.bytes, then: value, key: keys.indexing))
    } catch {
      throw SealingError(error)
    }
  }
}
