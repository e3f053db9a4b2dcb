import CLibCrypto

/// HMAC-SHA256 (RFC 2104) by OpenSSL.
public enum HMACSHA256 {
  public static let codeBytes = 32

  /// Fetching looks the algorithm up by name every time, so it is done once.
  ///
  /// Unsafe only to the compiler: libcrypto does not change what it has fetched.
  private nonisolated(unsafe) static let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)

  public static func code(for message: [UInt8], key: SecretBytes) throws(CryptoError) -> [UInt8] {
    try code(for: message, then: SecretBytes(copying: []), key: key)
  }

  /// The code of a message of which the latter part must not be seen.
  public static func code(
    for head: [UInt8], then body: SecretBytes, key: SecretBytes
  ) throws(CryptoError) -> [UInt8] {
    guard let algorithm else { throw .unavailable }
    var code = [UInt8](repeating: 0, count: codeBytes)
    let isComputed = key.withUnsafeBytes { key in
      body.withUnsafeBytes { body in
        kith_hmac_sha256(
          algorithm, key.baseAddress, key.count, head, head.count, body.baseAddress, body.count, &code) == 1
      }
    }
    guard isComputed else { throw .unavailable }
    return code
  }

  /// Whether a code is the whole code of a message; takes the same time wherever it is wrong.
  public static func isValid(_ code: [UInt8], for message: [UInt8], key: SecretBytes) throws(CryptoError) -> Bool {
    ConstantTime.areEqual(try self.code(for: message, key: key), code)
  }
}
