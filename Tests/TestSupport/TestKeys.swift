import Crypto
import FoundationEssentials
import Glibc
import Vault

/// Root keys that every test service seals with, so that several on one database read what each other sealed.
public enum TestKeys {
  /// One primary key, `k1`.
  public static func keyset() throws -> Keyset {
    try Keyset(first: try keyID("k1"), key(1))
  }

  /// Replaces a file by a keyset, closed to all others.
  public static func write(_ keyset: Keyset, to path: String) throws {
    let new = path + ".new"
    try Data(keyset.text.revealedBytes).write(to: URL(filePath: new))
    chmod(new, 0o600)
    rename(new, path)
  }

  /// A key of equal bytes, which no other number gives.
  public static func key(_ number: UInt8) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: number, count: RootKey.keyBytes), for: .process)
  }

  public static func keyID(_ text: String) throws -> KeyID {
    struct NotAKeyID: Error {}
    guard let id = KeyID(text) else { throw NotAKeyID() }
    return id
  }
}
