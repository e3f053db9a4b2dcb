/// Standard base64 (RFC 4648, section 4), read strictly: padded, without blanks, one spelling for each value. It works in
/// buffers, so that a secret is nowhere but where its owner keeps it.
public enum Base64 {
  private static let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  private static let padding = UInt8(ascii: "=")

  /// How many digits and padding stand for so many bytes.
  public static func textBytes(for count: Int) -> Int {
    (count + 2) / 3 * 4
  }

  /// How many bytes a text stands for, if it is base64; nil if it cannot be, by its length.
  public static func byteCount(of text: UnsafeRawBufferPointer) -> Int? {
    text.count % 4 == 0 ? text.count / 4 * 3 - paddingCount(of: text) : nil
  }

  private static func paddingCount(of text: UnsafeRawBufferPointer) -> Int {
    text.suffix(2).reversed().prefix { $0 == padding }.count
  }

  /// Writes what a text stands for into a buffer of ``byteCount(of:)`` bytes.
  ///
  /// - Returns: false when it is no base64; then something else may stand in the buffer.
  public static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    let paddingCount = paddingCount(of: text)
    var gathered: UInt32 = 0
    for (position, byte) in text.dropLast(paddingCount).enumerated() {
      guard let value = value(of: byte) else { return false }
      gathered = gathered << 6 | value
      // From the second digit of each four on, eight more bits are there.
      guard position % 4 > 0 else { continue }
      let spare = UInt32(6 - 2 * (position % 4))
      bytes[position / 4 * 3 + position % 4 - 1] = UInt8(truncatingIfNeeded: gathered >> spare)
    }
    // Bits that stand for nothing would be a second spelling.
    let unused: UInt32 = paddingCount == 0 ? 0 : paddingCount == 1 ? 0x3 : 0xF
    return gathered & unused == 0
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

  /// Writes the text of some bytes into a buffer of ``textBytes(for:)`` bytes.
  public static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
    let digits = UnsafeBufferPointer(start: digits.utf8Start, count: digits.utf8CodeUnitCount)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var triple = UInt32(bytes[start]) << 16
      if count > 1 { triple |= UInt32(bytes[start + 1]) << 8 }
      if count > 2 { triple |= UInt32(bytes[start + 2]) }
      for position in 0..<4 {
        text[start / 3 * 4 + position] =
          position <= count ? digits[Int(triple >> UInt32(18 - 6 * position) & 0x3F)] : padding
      }
    }
  }
}
