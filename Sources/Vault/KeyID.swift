import Accounts
import Crypto

/// Names a root key; it stands in the clear in the keyset, in sealed records and in messages.
public struct KeyID: Hashable, Sendable {
  /// Short of what 32 bytes take in base64 or in hexadecimal digits, so that no key can be written in the place of its id
  /// and then be printed.
  public static let bytesMax = 32

  public let text: ExactText

  /// Nil unless it has 1 to 32 ASCII letters, digits, `.`, `_` and `-`.
  public init?(_ text: String) {
    guard (1...Self.bytesMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.mayStand) else { return nil }
    self.text = ExactText(text)
  }

  init?(_ bytes: some Collection<UInt8>) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(text)
  }

  /// An id such as `k2-9f03c1`: a number for people, and random digits that no other keyset's have.
  init?(number: Int, random: RandomSource) throws(CryptoError) {
    let digits = try random.bytes(Self.randomBytes).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }
    self.init("k\(number)-\(digits.joined())")
  }

  private static let randomBytes = 3

  private static func mayStand(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  var bytes: String.UTF8View { text.string.utf8 }
}

extension KeyID: CustomStringConvertible {
  public var description: String { text.string }
}
