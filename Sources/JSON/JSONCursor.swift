/// Reads the tokens of a text that ends in zero bytes (`JSONParser` sees to that), so that no step asks where the end
/// is: a zero byte is wrong wherever it is met.
struct JSONCursor {
  /// The token at the cursor is not JSON.
  struct Malformed: Error {}

  var at: UnsafePointer<UInt8>

  @inline(__always)
  mutating func skipWhitespace() {
    while at.pointee == 0x20 || at.pointee == 0x0A || at.pointee == 0x0D || at.pointee == 0x09 {
      at += 1
    }
  }

  /// Passes over one given byte.
  @inline(__always)
  mutating func expect(_ byte: UInt8) throws(Malformed) {
    guard at.pointee == byte else { throw Malformed() }
    at += 1
  }

  /// Passes over `true`, `false` or `null`, of which the cursor stands on the first letter.
  mutating func literal() throws(Malformed) -> (kind: JSONKind, mark: Bool) {
    switch at.pointee {
    case UInt8(ascii: "t"):
      try letters("true", count: 4)
      return (.bool, true)
    case UInt8(ascii: "f"):
      try letters("false", count: 5)
      return (.bool, false)
    case UInt8(ascii: "n"):
      try letters("null", count: 4)
      return (.null, false)
    default:
      throw Malformed()
    }
  }

  @inline(__always)
  private mutating func letters(_ word: StaticString, count: Int) throws(Malformed) {
    for index in 0..<count {
      guard at[index] == word.utf8Start[index] else { throw Malformed() }
    }
    at += count
  }

  /// Passes over a number.
  mutating func number() throws(Malformed) {
    if at.pointee == UInt8(ascii: "-") { at += 1 }
    if at.pointee == UInt8(ascii: "0") {
      at += 1
    } else {
      try digits()
    }
    if at.pointee == UInt8(ascii: ".") {
      at += 1
      try digits()
    }
    if at.pointee | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at.pointee == UInt8(ascii: "+") || at.pointee == UInt8(ascii: "-") { at += 1 }
      try digits()
    }
  }

  @inline(__always)
  private mutating func digits() throws(Malformed) {
    guard at.pointee &- UInt8(ascii: "0") <= 9 else { throw Malformed() }
    repeat { at += 1 } while at.pointee &- UInt8(ascii: "0") <= 9
  }

  /// Passes over the rest of a string whose opening quote is read, closing quote included.
  ///
  /// - Returns: whether it holds escapes.
  mutating func string() throws(Malformed) -> Bool {
    var escaped = false
    while true {
      let mask = SWAR.notPlain(SWAR.load(at))
      guard mask != 0 else {
        at += 8
        continue
      }
      at += SWAR.bytesBefore(mask)
      switch at.pointee {
      case UInt8(ascii: "\""):
        at += 1
        return escaped
      case UInt8(ascii: "\\"):
        escaped = true
        try escape()
      case 0x80...:
        repeat { try multibyte() } while at.pointee >= 0x80
      default:
        throw Malformed()
      }
    }
  }

  /// Passes over one escape. U+0000 and halves of surrogate pairs are refused.
  private mutating func escape() throws(Malformed) {
    switch at[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      switch unit {
      case 0, 0xDC00...0xDFFF: throw Malformed()
      case 0xD800...0xDBFF:
        guard (0xDC00...0xDFFF).contains(try codeUnit()) else { throw Malformed() }
      default: break
      }
    default:
      throw Malformed()
    }
  }

  /// Passes over `\uXXXX`.
  private mutating func codeUnit() throws(Malformed) -> UInt16 {
    guard at[0] == UInt8(ascii: "\\"), at[1] == UInt8(ascii: "u") else { throw Malformed() }
    var unit: UInt16 = 0
    for index in 2..<6 {
      guard let digit = Self.value(ofHexDigit: at[index]) else { throw Malformed() }
      unit = unit << 4 | UInt16(digit)
    }
    at += 6
    return unit
  }

  static func value(ofHexDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Passes over one UTF-8 sequence of two to four bytes (Unicode, table 3-7: no overlong form, no surrogate, nothing
  /// above U+10FFFF).
  private mutating func multibyte() throws(Malformed) {
    let second: ClosedRange<UInt8>
    let length: Int
    switch at[0] {
    case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
    case 0xE0: (second, length) = (0xA0...0xBF, 3)
    case 0xED: (second, length) = (0x80...0x9F, 3)
    case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
    case 0xF0: (second, length) = (0x90...0xBF, 4)
    case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
    case 0xF4: (second, length) = (0x80...0x8F, 4)
    default: throw Malformed()
    }
    guard second.contains(at[1]) else { throw Malformed() }
    guard length < 3 || at[2] & 0xC0 == 0x80 else { throw Malformed() }
    guard length < 4 || at[3] & 0xC0 == 0x80 else { throw Malformed() }
    at += length
  }
}
