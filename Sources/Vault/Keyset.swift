import Crypto

/// The root keys, as an operator keeps them: distinct, and exactly one of them primary.
public struct Keyset: Equatable, Sendable {
  public static let version = 1
  /// A key a month for five years; each takes pages of locked memory.
  public static let keysMax = 64

  /// In the order of the file.
  public let keys: [RootKey]

  /// A keyset of one key, which is primary.
  public init(first id: KeyID, _ key: SecretBytes) throws(KeysetError) {
    try self.init([RootKey(id: id, key: key, state: .primary)])
  }

  init(_ keys: [RootKey]) throws(KeysetError) {
    guard keys.count <= Self.keysMax else { throw KeysetError(.tooManyKeys(max: Self.keysMax)) }
    for (position, key) in keys.enumerated() {
      try Self.check(key, against: keys[..<position], line: nil)
    }
    guard keys.contains(where: { $0.state == .primary }) else { throw KeysetError(.noPrimary) }
    self.keys = keys
  }

  /// What is wrong with a key by itself, or beside those before it.
  static func check(_ key: RootKey, against former: ArraySlice<RootKey>, line: Int?) throws(KeysetError) {
    guard key.key.count == RootKey.keyBytes else { throw KeysetError(.keyLength, key: key.id, line: line) }
    guard !key.isUnset else { throw KeysetError(.keyUnset, key: key.id, line: line) }
    if former.contains(where: { $0.id == key.id }) { throw KeysetError(.idTwice, key: key.id, line: line) }
    if let same = former.first(where: { $0.key == key.key }) {
      throw KeysetError(.sameKey(as: same.id), key: key.id, line: line)
    }
    if key.state == .primary, let primary = former.first(where: { $0.state == .primary }) {
      throw KeysetError(.secondPrimary(beside: primary.id), key: key.id, line: line)
    }
  }

  public func key(_ id: KeyID) -> RootKey? {
    keys.first { $0.id == id }
  }
}

// MARK: Changing keys without downtime: add, have every daemon read it, promote, wrap anew, retire.

extension Keyset {
  /// A keyset with a new key at its end: the first key ever is primary, a later one opens and does not seal yet.
  ///
  /// - Parameters:
  ///   - former: nil where there is no keyset yet.
  ///   - id: nil for one that no other keyset has, so that a keyset which was lost is not mistaken for the new one.
  public static func growing(
    _ former: Keyset?, by id: KeyID?, random: RandomSource
  ) throws(KeysetError) -> Keyset {
    let key: SecretBytes
    var name = id
    do throws(CryptoError) {
      key = try random.secret(RootKey.keyBytes, for: .process)
      if name == nil { name = try KeyID(number: (former?.keys.count ?? 0) + 1, random: random) }
    } catch {
      throw KeysetError(.noRandomBytes)
    }
    guard let name else { throw KeysetError(.idInvalid) }
    guard let former else { return try Keyset(first: name, key) }
    return try former.adding(name, key)
  }

  /// With one more key, which opens and does not seal yet, so that every daemon knows it before the first one uses it.
  public func adding(_ id: KeyID, _ key: SecretBytes) throws(KeysetError) -> Keyset {
    try Keyset(keys + [RootKey(id: id, key: key, state: .decryptOnly)])
  }

  /// With another primary key; the former one still opens.
  public func promoting(_ id: KeyID) throws(KeysetError) -> Keyset {
    switch key(id)?.state {
    case nil: throw KeysetError(.noSuchKey, key: id)
    case .primary: throw KeysetError(.alreadyPrimary, key: id)
    case .retired: throw KeysetError(.alreadyRetired, key: id)
    case .decryptOnly: break
    }
    return try Keyset(
      keys.map { key in
        if key.id == id { return key.becoming(.primary) }
        return key.state == .primary ? key.becoming(.decryptOnly) : key
      })
  }

  /// Without the use of a key. That nothing is sealed with it any more is for the caller to prove first.
  public func retiring(_ id: KeyID) throws(KeysetError) -> Keyset {
    switch key(id)?.state {
    case nil: throw KeysetError(.noSuchKey, key: id)
    case .primary: throw KeysetError(.primaryCannotRetire, key: id)
    case .retired: throw KeysetError(.alreadyRetired, key: id)
    case .decryptOnly: break
    }
    return try Keyset(keys.map { $0.id == id ? $0.becoming(.retired) : $0 })
  }
}
