import CLibCrypto

/// HKDF-SHA256 (RFC 5869) by OpenSSL: several keys from one, none of which tells anything of the others.
public enum HKDFSHA256 {
  /// What the algorithm can give: 255 times the 32 bytes of a digest.
  public static let derivedBytesMax = 255 * 32

  /// Unsafe only to the compiler: libcrypto does not change what it has fetched.
  private nonisolated(unsafe) static let algorithm = EVP_KDF_fetch(nil, "HKDF", nil)

  /// - Parameters:
  ///   - count: how many bytes to derive, from 1.
  ///   - info: what they are for; another purpose gives other bytes.
  ///   - life: where they are kept.
  public static func derive(
    _ count: Int, from key: SecretBytes, salt: [UInt8] = [], info: [UInt8], for life: SecretBytes.Life = .call
  ) throws(CryptoError) -> SecretBytes {
    guard (1...derivedBytesMax).contains(count) else { throw .tooLong }
    guard key.count > 0 else { throw .keyLength }
    guard let algorithm else { throw .unavailable }
    return try SecretBytes(count: count, for: life) { (derived) throws(CryptoError) in
      let isDerived = key.withUnsafeBytes { key in
        kith_hkdf_sha256(
          algorithm, key.baseAddress, key.count, salt, salt.count, info, info.count,
          derived.baseAddress?.assumingMemoryBound(to: UInt8.self), derived.count) == 1
      }
      guard isDerived else { throw .unavailable }
    }
  }
}
