import Accounts
import Crypto

/// Seals and opens with the keys of one keyset; made once for each reading of it, then shared by all.
public struct KeyRing: Sendable {
  private enum Entry: Sendable {
    case usable(WorkingKeys)
    case retired
  }

  let primary: WorkingKeys
  /// The primary first, then those that only open, in the order of the keyset.
  let usable: [WorkingKeys]
  /// What retired keys made codes with, in the order of the keyset: a code is known again, and nothing is opened by it.
  let retiredIndexing: [SecretBytes]
  /// What every key of the keyset may be used for, in its order.
  public let states: [(id: KeyID, state: RootKey.State)]
  private let entries: [KeyID: Entry]
  private let random: RandomSource

  public init(_ keyset: Keyset, random: RandomSource) throws(SealingError) {
    var primary: WorkingKeys?
    var others: [WorkingKeys] = []
    var entries: [KeyID: Entry] = [:]
    var retiredIndexing: [SecretBytes] = []
    for key in keyset.keys {
      guard key.state != .retired else {
        entries[key.id] = .retired
        retiredIndexing.append(try Self.derive { () throws(CryptoError) in try WorkingKeys.indexing(of: key) })
        continue
      }
      let keys = try Self.derive { () throws(CryptoError) in try WorkingKeys(key) }
      entries[key.id] = .usable(keys)
      if key.state == .primary { primary = keys } else { others.append(keys) }
    }
    guard let primary else { preconditionFailure("a keyset has a primary key") }
    self.primary = primary
    usable = [primary] + others
    self.retiredIndexing = retiredIndexing
    states = keyset.keys.map { ($0.id, $0.state) }
    self.entries = entries
    self.random = random
  }

  private static func derive<Keys>(_ body: () throws(CryptoError) -> Keys) throws(SealingError) -> Keys {
    do {
      return try body()
    } catch {
      throw SealingError(error)
    }
  }

  /// The id of the key that seals.
  public var primaryID: KeyID { primary.id }

  /// The keys of an id; chosen by it, never by trying.
  private func keys(_ id: KeyID) throws(SealingError) -> WorkingKeys {
    switch entries[id] {
    case nil: throw .unknownKey(id)
    case .retired: throw .retiredKey(id)
    case .usable(let keys): return keys
    }
  }
}

// MARK: Sealing

extension KeyRing {
  /// Seals a content under a data key of its own, which the primary key wraps.
  public func seal(_ content: SecretBytes, in context: SealingContext) throws(SealingError) -> SealedRecord {
    guard content.count <= SealedRecord.contentBytesMax else {
      throw .tooLarge(bytesMax: SealedRecord.contentBytesMax)
    }
    do {
      let dataKey = try random.secret(SealedRecord.dataKeyBytes)
      return SealedRecord(
        keyID: primary.id,
        wrappedKey: try encrypt(
          dataKey, key: primary.wrapping, additionalData: context.additionalData(wrappedBy: primary.id)),
        sealedContent: try encrypt(content, key: dataKey, additionalData: context.additionalData(wrappedBy: nil)))
    } catch {
      throw SealingError(error)
    }
  }

  /// The content of a record that was sealed in this very context.
  public func open(_ record: SealedRecord, in context: SealingContext) throws(SealingError) -> SecretBytes {
    let dataKey = try dataKey(of: record, in: context)
    do {
      return try decrypt(record.sealedContent, key: dataKey, additionalData: context.additionalData(wrappedBy: nil))
    } catch {
      throw SealingError(error)
    }
  }

  /// The same record, its data key wrapped by the primary key; the content is neither opened nor touched.
  public func rewrap(_ record: SealedRecord, in context: SealingContext) throws(SealingError) -> SealedRecord {
    let dataKey = try dataKey(of: record, in: context)
    guard record.keyID != primary.id else { return record }
    do {
      return SealedRecord(
        keyID: primary.id,
        wrappedKey: try encrypt(
          dataKey, key: primary.wrapping, additionalData: context.additionalData(wrappedBy: primary.id)),
        sealedContent: record.sealedContent)
    } catch {
      throw SealingError(error)
    }
  }

  private func dataKey(of record: SealedRecord, in context: SealingContext) throws(SealingError) -> SecretBytes {
    let keys = try keys(record.keyID)
    do {
      return try decrypt(
        record.wrappedKey, key: keys.wrapping, additionalData: context.additionalData(wrappedBy: record.keyID))
    } catch {
      throw SealingError(error)
    }
  }

  /// - Returns: a fresh nonce, the ciphertext, the tag.
  private func encrypt(
    _ content: SecretBytes, key: SecretBytes, additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let nonce = try random.bytes(AES256GCM.nonceBytes)
    return nonce + (try AES256GCM.seal(content, key: key, nonce: nonce, additionalData: additionalData))
  }

  /// - Parameter sealed: nonce, ciphertext, tag.
  private func decrypt(
    _ sealed: ArraySlice<UInt8>, key: SecretBytes, additionalData: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    try AES256GCM.open(
      sealed.dropFirst(AES256GCM.nonceBytes), key: key, nonce: Array(sealed.prefix(AES256GCM.nonceBytes)),
      additionalData: additionalData)
  }
}
