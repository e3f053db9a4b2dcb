import Crypto
import Foundation
import JSON
import Testing
import Vault

@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBytes { Base64.decode($0)?.revealedBytes }
  }

  @Test func `every length comes back`() {
    for count in 0...67 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
      let text = String(decoding: Base64.encode(SecretBytes(copying: bytes)).revealedBytes, as: UTF8.self)
      #expect(text == Data(bytes).base64EncodedString())
      #expect(text.utf8.count == Base64.textBytes(for: count))
      #expect(decode(text) == bytes)
    }
  }

  @Test(arguments: ["A", "AA", "AAA", "AA=", "A===", "====", "AA=A", "AAAA=", "AAAA====", "AA==AAAA"])
  func `a text of the wrong shape is refused`(_ text: String) {
    #expect(decode(text) == nil)
  }

  @Test(arguments: ["AAA A", "AA A", "AAA\n", "AA-_", "AA\\/", "AAÄ", "AA,A"])
  func `other characters are refused`(_ text: String) {
    #expect(decode(text) == nil)
  }

  @Test func `bits that stand for nothing are refused`() {
    #expect(decode("AA==") == [0])
    #expect(decode("AB==") == nil)
    #expect(decode("AAA=") == [0, 0])
    #expect(decode("AAB=") == nil)
  }
}
