import Crypto
import TestSupport
import Testing

@Suite struct AES256GCMTests {
  private struct Case: Decodable {
    let tcId: Int
    let key: Hex
    let iv: Hex
    let aad: Hex
    let msg: Hex
    let ct: Hex
    let tag: Hex
    let result: String
  }

  private static let key = SecretBytes(copying: [UInt8](repeating: 7, count: AES256GCM.keyBytes))
  private static let nonce = [UInt8](repeating: 1, count: AES256GCM.nonceBytes)

  private static func seal(
    _ content: [UInt8], key: SecretBytes = key, nonce: [UInt8] = nonce, additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try AES256GCM.seal(SecretBytes(copying: content), key: key, nonce: nonce, additionalData: additionalData)
  }

  @Test(.enabled(if: Vectors.has("wycheproof"), Comment(rawValue: Vectors.absence)))
  func `every Wycheproof vector is sealed, opened or refused as it says`() throws {
    let file = try Wycheproof<Case>.read("aes_gcm_test")
    var ofOurSizes = 0
    var refusedBySize = 0
    for group in file.testGroups {
      for test in group.tests {
        let key = SecretBytes(copying: test.key.bytes)
        func sealed() throws(CryptoError) -> [UInt8] {
          try Self.seal(test.msg.bytes, key: key, nonce: test.iv.bytes, additionalData: test.aad.bytes)
        }
        func opened() throws(CryptoError) -> SecretBytes {
          try AES256GCM.open(
            (test.ct.bytes + test.tag.bytes)[...], key: key, nonce: test.iv.bytes, additionalData: test.aad.bytes)
        }
        guard group.keySize == 256, group.ivSize == 96 else {
          // Other keys and nonces are not offered, whether the vector is valid or not.
          refusedBySize += 1
          let expected: CryptoError = group.keySize == 256 ? .nonceLength : .keyLength
          #expect(throws: expected, "case \(test.tcId)") { try sealed() }
          #expect(throws: expected, "case \(test.tcId)") { try opened() }
          continue
        }
        ofOurSizes += 1
        if test.result == "valid" {
          #expect(try sealed() == test.ct.bytes + test.tag.bytes, "case \(test.tcId)")
          #expect(try opened().revealedBytes == test.msg.bytes, "case \(test.tcId)")
        } else {
          #expect(throws: CryptoError.notAuthentic, "case \(test.tcId)") { try opened() }
        }
      }
    }
    #expect(ofOurSizes > 0 && ofOurSizes + refusedBySize == file.numberOfTests)
    print("AES-GCM: \(ofOurSizes) vectors of 256-bit keys and 96-bit nonces; \(refusedBySize) refused for their sizes")
  }

  @Test func `every flipped bit of a ciphertext or tag is refused`() throws {
    let sealed = try Self.seal(Array("what nobody may read".utf8), additionalData: [1, 2, 3])
    for position in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[position] ^= 1 << bit
        #expect(throws: CryptoError.notAuthentic) {
          try AES256GCM.open(changed[...], key: Self.key, nonce: Self.nonce, additionalData: [1, 2, 3])
        }
      }
    }
  }

  @Test func `what is too short to have a tag is refused`() {
    for count in 0..<AES256GCM.tagBytes {
      #expect(throws: CryptoError.notAuthentic) {
        try AES256GCM.open(
          [UInt8](repeating: 0, count: count)[...], key: Self.key, nonce: Self.nonce, additionalData: [])
      }
    }
  }
}
