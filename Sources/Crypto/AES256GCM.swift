import CLibCrypto

/// AES-256-GCM (NIST SP 800-38D) by OpenSSL, with nonces of 96 bits and whole tags only.
///
/// A key and a nonce must never be used together twice: it would give both contents away.
public enum AES256GCM {
  public static let keyBytes = 32
  public static let nonceBytes = 12
  public static let tagBytes = 16
  /// What libcrypto takes in one piece, with room to spare.
  public static let contentBytesMax = 1 << 30

  /// Fetching looks the algorithm up by name every time, so it is done once.
  ///
  /// Unsafe only to the compiler: libcrypto does not change what it has fetched.
  private nonisolated(unsafe) static let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

  /// The ciphertext, which is as long as the content, and the tag after it.
  public static func seal(
    _ content: SecretBytes, key: SecretBytes, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    try check(key: key, nonce: nonce, additionalData: additionalData, contentBytes: content.count)
    let context = try CipherContext()
    guard let cipher else { throw .unavailable }
    let sealed = [UInt8](unsafeUninitializedCapacity: content.count + tagBytes) { output, count in
      let isSealed = key.withUnsafeBytes { key in
        content.withUnsafeBytes { content in
          run(
            context, cipher, key: key, nonce: nonce, additionalData: additionalData, content: content,
            into: output)
        }
      }
      count = isSealed ? content.count + tagBytes : 0
    }
    guard !sealed.isEmpty else { throw .unavailable }
    return sealed
  }

  private static func run(
    _ context: borrowing CipherContext, _ cipher: OpaquePointer, key: UnsafeRawBufferPointer, nonce: [UInt8],
    additionalData: [UInt8], content: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let context = context.pointer
    let key = key.assumingMemoryBound(to: UInt8.self)
    let content = content.assumingMemoryBound(to: UInt8.self)
    var count: Int32 = 0
    guard let start = output.baseAddress, EVP_EncryptInit_ex2(context, cipher, key.baseAddress, nonce, nil) == 1,
      EVP_EncryptUpdate(context, nil, &count, additionalData, Int32(additionalData.count)) == 1,
      content.isEmpty || EVP_EncryptUpdate(context, start, &count, content.baseAddress, Int32(content.count)) == 1
    else { return false }
    let tag = start + content.count
    return EVP_EncryptFinal_ex(context, tag, &count) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), tag) == 1
  }

  /// The content of a ciphertext that is followed by its tag.
  ///
  /// - Throws: `.notAuthentic` unless key, nonce, additional data, ciphertext and tag are those of one sealing.
  public static func open(
    _ sealed: ArraySlice<UInt8>, key: SecretBytes, nonce: [UInt8], additionalData: [UInt8],
    for life: SecretBytes.Life = .call
  ) throws(CryptoError) -> SecretBytes {
    guard sealed.count >= tagBytes else { throw .notAuthentic }
    let count = sealed.count - tagBytes
    try check(key: key, nonce: nonce, additionalData: additionalData, contentBytes: count)
    let context = try CipherContext()
    guard let cipher else { throw .unavailable }
    // What does not prove authentic is overwritten with everything else as this throws.
    return try SecretBytes(count: count, for: life) { (content) throws(CryptoError) in
      let outcome = key.withUnsafeBytes { key in
        sealed.withUnsafeBufferPointer { sealed in
          run(
            context, cipher, key: key, nonce: nonce, additionalData: additionalData, sealed: sealed,
            into: content)
        }
      }
      if let failure = outcome { throw failure }
    }
  }

  /// - Returns: nil when the content was written.
  private static func run(
    _ context: borrowing CipherContext, _ cipher: OpaquePointer, key: UnsafeRawBufferPointer, nonce: [UInt8],
    additionalData: [UInt8], sealed: UnsafeBufferPointer<UInt8>, into content: UnsafeMutableRawBufferPointer
  ) -> CryptoError? {
    let context = context.pointer
    let key = key.assumingMemoryBound(to: UInt8.self)
    let output = content.assumingMemoryBound(to: UInt8.self)
    var count: Int32 = 0
    // libcrypto does not write to a tag that it is to compare, though its interface has no way of saying so.
    let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress.map { $0 + content.count })
    guard EVP_DecryptInit_ex2(context, cipher, key.baseAddress, nonce, nil) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), tag) == 1,
      EVP_DecryptUpdate(context, nil, &count, additionalData, Int32(additionalData.count)) == 1,
      content.isEmpty
        || EVP_DecryptUpdate(context, output.baseAddress, &count, sealed.baseAddress, Int32(content.count)) == 1
    else { return .unavailable }
    var rest: (UInt64, UInt64) = (0, 0)
    let isAuthentic = withUnsafeMutableBytes(of: &rest) { rest in
      EVP_DecryptFinal_ex(context, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1
    }
    return isAuthentic ? nil : .notAuthentic
  }

  private static func check(
    key: SecretBytes, nonce: [UInt8], additionalData: [UInt8], contentBytes: Int
  ) throws(CryptoError) {
    guard key.count == keyBytes else { throw .keyLength }
    guard nonce.count == nonceBytes else { throw .nonceLength }
    guard contentBytes <= contentBytesMax, additionalData.count <= contentBytesMax else { throw .tooLong }
  }
}
