/// Eight bytes looked at as one word, to pass over plain text quickly.
enum SWAR {
  /// The same byte eight times.
  @inline(__always)
  static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// The next eight bytes, the first of them lowest.
  @inline(__always)
  static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  /// A word whose lowest set bit tells the first byte that cannot stand unescaped in a string (`"`, `\` and U+0000 to
  /// U+001F); bits above the lowest one mean nothing.
  @inline(__always)
  static func needsEscape(_ word: UInt64) -> UInt64 {
    let quote = word ^ all(UInt8(ascii: "\""))
    let backslash = word ^ all(UInt8(ascii: "\\"))
    let quotes = (quote &- all(1)) & ~quote
    let backslashes = (backslash &- all(1)) & ~backslash
    let controls = (word &- all(0x20)) & ~word
    return (quotes | backslashes | controls) & all(0x80)
  }

  /// As `needsEscape`, and also the first byte outside ASCII.
  @inline(__always)
  static func notPlain(_ word: UInt64) -> UInt64 {
    needsEscape(word) | word & all(0x80)
  }

  /// The number of whole bytes below the lowest set bit.
  @inline(__always)
  static func bytesBefore(_ mask: UInt64) -> Int { mask.trailingZeroBitCount >> 3 }
}
