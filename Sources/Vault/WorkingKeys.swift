import Crypto

/// The keys that are derived from one root key, one for each kind of work, so that none is ever used for two.
struct WorkingKeys: Sendable {
  let id: KeyID
  /// Wraps data keys.
  let wrapping: SecretBytes
  /// Makes blind indexes.
  let indexing: SecretBytes

  /// The names are part of what is stored: with another name nothing opens any more.
  private enum Purpose: String {
    case wrapping = "kith/1/wrap data keys"
    case indexing = "kith/1/blind index"
  }

  init(_ root: RootKey) throws(CryptoError) {
    id = root.id
    wrapping = try Self.derive(.wrapping, from: root)
    indexing = try Self.indexing(of: root)
  }

  /// The one that makes blind indexes, alone.
  static func indexing(of root: RootKey) throws(CryptoError) -> SecretBytes {
    try derive(.indexing, from: root)
  }

  private static func derive(_ purpose: Purpose, from root: RootKey) throws(CryptoError) -> SecretBytes {
    try HKDFSHA256.derive(32, from: root.key, info: Array(purpose.rawValue.utf8), for: .process)
  }
}
