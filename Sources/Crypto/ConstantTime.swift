import CLibCrypto

/// Comparing what an attacker may have guessed.
public enum ConstantTime {
  /// Takes the same time wherever two values of one length differ.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
