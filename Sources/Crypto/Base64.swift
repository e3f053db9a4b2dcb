/// Standard base64 (RFC 4648, section 4) of secrets, read strictly: padded, without blanks, one spelling for each value.
public enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// How many digits and padding stand for so many bytes.
  public static func textBytes(for count: Int) -> Int {
    (count + 2) / 3 * 4
  }

  /// What a text stands for; nil when it is no base64.
  public static func decode(_ text: UnsafeRawBufferPointer, for life: SecretBytes.Life = .call) -> SecretBytes? {
    guard text.count % 4 == 0 else { return nil }
    let paddingCount = text.suffix(2).reversed().prefix { $0 == padding }.count
    let count = text.count / 4 * 3 - paddingCount
    var isRight = true
    let secret = SecretBytes(count: count, for: life) { bytes in
      var gathered: UInt32 = 0
      for (position, byte) in text.dropLast(paddingCount).enumerated() {
        guard let value = value(of: byte) else {
          isRight = false
          return
        }
        gathered = gathered << 6 | value
        // From the second digit of each four on, eight more bits are there.
        guard position % 4 > 0 else { continue }
        let spare = UInt32(6 - 2 * (position % 4))
        bytes[position / 4 * 3 + position % 4 - 1] = UInt8(truncatingIfNeeded: gathered >> spare)
      }
      // Bits that stand for nothing would be a second spelling.
      let unused: UInt32 = [0, 0x3, 0xF][paddingCount]
      isRight = gathered & unused == 0
    }
    return isRight ? secret : nil
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// The text of a secret, which is as secret.
  public static func encode(_ secret: SecretBytes) -> SecretBytes {
    SecretBytes(count: textBytes(for: secret.count)) { text in
      secret.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: 3) {
          let count = min(3, bytes.count - start)
          let triple = (0..<3).reduce(0 as UInt32) { $0 << 8 | ($1 < count ? UInt32(bytes[start + $1]) : 0) }
          for position in 0..<4 {
            text[start / 3 * 4 + position] =
              position <= count ? digits[Int(triple >> UInt32(18 - 6 * position) & 0x3F)] : padding
          }
        }
      }
    }
  }
}
