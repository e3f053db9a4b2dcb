import Crypto
import TestSupport
import Testing

@Suite struct HKDFSHA256Tests {
  private struct Case: Decodable {
    let tcId: Int
    let ikm: Hex
    let salt: Hex
    let info: Hex
    let size: Int
    let okm: Hex
    let result: String
  }

  @Test(.enabled(if: Vectors.has("wycheproof"), Comment(rawValue: Vectors.absence)))
  func `every Wycheproof vector is derived or refused as it says`() throws {
    let file = try Wycheproof<Case>.read("hkdf_sha256_test")
    var count = 0
    for test in file.testGroups.flatMap(\.tests) {
      count += 1
      func derived() throws(CryptoError) -> SecretBytes {
        try HKDFSHA256.derive(
          test.size, from: SecretBytes(copying: test.ikm.bytes), salt: test.salt.bytes, info: test.info.bytes)
      }
      if test.result == "valid" {
        #expect(try derived().revealedBytes == test.okm.bytes, "case \(test.tcId)")
      } else {
        #expect(throws: CryptoError.tooLong, "case \(test.tcId)") { try derived() }
      }
    }
    #expect(count > 0 && count == file.numberOfTests)
    print("HKDF-SHA256: all \(count) vectors")
  }

  @Test func `nothing is derived from nothing, and not nothing from something`() {
    let key = SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    #expect(throws: CryptoError.keyLength) { try HKDFSHA256.derive(32, from: SecretBytes(copying: []), info: [1]) }
    for count in [-1, 0, HKDFSHA256.derivedBytesMax + 1] {
      #expect(throws: CryptoError.tooLong) { try HKDFSHA256.derive(count, from: key, info: [1]) }
    }
  }
}
