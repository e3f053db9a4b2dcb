import Accounts
import Crypto

/// Stands for what somebody said, so that it is known again without being remembered. It tells nothing to who has not the
/// key, and the key is the process's own.
struct SpoolDigest: Hashable {
  private let words: SIMD4<UInt64>

  /// Of everything that one may say; no link is empty, so nothing that is said has the same.
  init(of identity: IdentityKey, key: SecretBytes) throws(CryptoError) {
    try self.init(of: identity, link: "", claims: SecretBytes(copying: []), key: key)
  }

  init(
    of identity: IdentityKey, link: ExactText, claims: SecretBytes, key: SecretBytes
  ) throws(CryptoError) {
    let code = try HMACSHA256.code(for: SpoolEntry.text(of: identity, link: link), then: claims, key: key)
    words = SIMD4(code.number(at: 0), code.number(at: 8), code.number(at: 16), code.number(at: 24))
  }
}
