import CLibCrypto

/// SHA-256 (FIPS 180-4) by OpenSSL.
public enum SHA256 {
  public static let digestBytes = 32

  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: digestBytes) { digest, count in
      let written = EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
      // Fails only when memory is out or the library was built without SHA-256.
      precondition(written == 1, "libcrypto cannot compute SHA-256")
      count = digestBytes
    }
  }
}
