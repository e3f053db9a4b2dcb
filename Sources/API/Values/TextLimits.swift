/// How long a text may be, and what may be in it.
public struct TextLimits: Sendable {
  enum Unit: Sendable {
    case bytes
    /// Unicode code points, as JSON Schema counts.
    case characters
  }

  let length: ClosedRange<Int>
  let unit: Unit
  let allowsControls: Bool

  /// Text of so many UTF-8 bytes.
  public static func text(bytes: ClosedRange<Int>) -> TextLimits {
    TextLimits(length: bytes, unit: .bytes, allowsControls: true)
  }

  /// Text of so many characters (Unicode code points), without control characters.
  public static func line(characters: ClosedRange<Int>) -> TextLimits {
    TextLimits(length: characters, unit: .characters, allowsControls: false)
  }

  /// What is wrong with a text that is not empty.
  @inline(__always)
  func problem(of utf8: UnsafeBufferPointer<UInt8>) -> ShapeProblem? {
    // A text has at most as many characters as bytes: most need no counting.
    let isFit = length.contains(utf8.count) || (unit == .characters && length.contains(Self.characters(in: utf8)))
    guard isFit else { return ShapeProblem(.length, "must be \(words)") }
    guard allowsControls || !Self.hasControls(utf8) else { return ShapeProblem(.format, "must be \(words)") }
    return nil
  }

  var words: String {
    let name = unit == .bytes ? "bytes" : "characters"
    return "text of \(length.lowerBound) to \(length.upperBound) \(name)"
      + (allowsControls ? "" : " without control characters")
  }

  private static func characters(in utf8: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in utf8 where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Whether U+0000 to U+001F or U+007F to U+009F is there.
  private static func hasControls(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    var last: UInt8 = 0
    for byte in utf8 {
      if byte < 0x20 || byte == 0x7F || (last == 0xC2 && byte < 0xA0) { return true }
      last = byte
    }
    return false
  }
}
