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

  /// The codes that the keys of the keyset make of a value, the primary one's first and those of retired ones last: for
  /// what is compared with a code that was stored, whichever key was primary then, and not sealed.
  public func codes(
    of value: SecretBytes, field: ExactText, databaseID: UniqueID
  ) throws(SealingError) -> [[UInt8]] {
    var codes: [[UInt8]] = []
    for key in usable.map(\.indexing) + retiredIndexing {
      codes.append(try code(of: value, field: field, databaseID: databaseID, key: key))
    }
    return codes
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
    BlindIndex(
      keyID: keys.id, code: try code(of: value, field: field, databaseID: databaseID, key: keys.indexing))
  }

  private func code(
    of value: SecretBytes, field: ExactText, databaseID: UniqueID, key: SecretBytes
  ) throws(SealingError) -> [UInt8] {
    // The value last: what stands before it has a length of its own, so the value needs none.
    var fields = LengthPrefixedFields()
    fields.append(field.string.utf8)
    fields.append(databaseID)
    do {
      return try HMACSHA256.code(for: fields.bytes, then: value, key: key)
    } catch {
      throw SealingError(error)
    }
  }
}
