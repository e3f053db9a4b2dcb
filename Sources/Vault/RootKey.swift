import Crypto

/// One key of the keyset, from which the keys that do the work are derived.
public struct RootKey: Equatable, Sendable {
  /// What a key may still be used for.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// Seals and opens; there is exactly one.
    case primary
    /// Opens what it has sealed, until that is wrapped anew.
    case decryptOnly = "decrypt_only"
    /// Is not used at all.
    case retired
  }

  public static let keyBytes = 32

  public let id: KeyID
  /// ``keyBytes`` random bytes.
  public let key: SecretBytes
  public let state: State

  init(id: KeyID, key: SecretBytes, state: State) {
    self.id = id
    self.key = key
    self.state = state
  }

  /// Whether nobody ever put random bytes into it.
  var isUnset: Bool { key.withUnsafeBytes { bytes in bytes.reduce(0) { $0 | $1 } == 0 } }

  func becoming(_ state: State) -> RootKey {
    RootKey(id: id, key: key, state: state)
  }
}
