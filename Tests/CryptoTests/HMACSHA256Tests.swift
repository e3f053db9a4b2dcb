import Crypto
import TestSupport
import Testing

@Suite struct HMACSHA256Tests {
  private struct Case: Decodable {
    let tcId: Int
    let key: Hex
    let msg: Hex
    let tag: Hex
    let result: String
  }

  @Test(.enabled(if: Vectors.has("wycheproof"), Comment(rawValue: Vectors.absence)))
  func `every Wycheproof vector is accepted or refused as it says, and no part of a code is one`() throws {
    let file = try Wycheproof<Case>.read("hmac_sha256_test")
    var whole = 0
    var shortened = 0
    for group in file.testGroups {
      for test in group.tests {
        let key = SecretBytes(copying: test.key.bytes)
        let isValid = try HMACSHA256.isValid(test.tag.bytes, for: test.msg.bytes, key: key)
        if group.tagSize == 256 {
          whole += 1
          #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
        } else {
          // Shortened codes are not offered; that ours begin with them shows that they are computed right.
          shortened += 1
          #expect(!isValid, "case \(test.tcId)")
          let code = try HMACSHA256.code(for: test.msg.bytes, key: key)
          #expect(code.starts(with: test.tag.bytes) == (test.result == "valid"), "case \(test.tcId)")
        }
      }
    }
    #expect(whole > 0 && whole + shortened == file.numberOfTests)
    print("HMAC-SHA256: \(whole) vectors with whole codes; \(shortened) refused because theirs are shortened")
  }

  @Test func `a message in two parts has the code of the whole`() throws {
    let key = SecretBytes(copying: Array("key".utf8))
    let message = Array("head and body".utf8)
    for split in 0...message.count {
      #expect(
        try HMACSHA256.code(for: Array(message[..<split]), then: SecretBytes(copying: message[split...]), key: key)
          == HMACSHA256.code(for: message, key: key))
    }
  }

  @Test func `comparing in constant time tells what is equal`() {
    #expect(ConstantTime.areEqual([], []))
    #expect(ConstantTime.areEqual([1, 2], [1, 2]))
    #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
    #expect(!ConstantTime.areEqual([1, 2], [1]))
  }
}
