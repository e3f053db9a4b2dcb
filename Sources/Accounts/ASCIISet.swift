/// A set of ASCII characters that answers in a few instructions.
struct ASCIISet {
  private let low: UInt64
  private let high: UInt64

  /// Always false for bytes beyond ASCII.
  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : byte < 128 ? high : 0
    return word >> UInt64(byte & 63) & 1 == 1
  }

  /// A letter, a digit, a dot, or one of ``!#$%&'*+-/=?^_`{|}~``: what a local part may have without quoting (RFC 5322).
  static let localPart = ASCIISet(low: 0xA3FF_ECFA_0000_0000, high: 0x7FFF_FFFF_C7FF_FFFE)

  /// A letter, a digit, or a hyphen: the rule of STD 3 for host names.
  static let domainLabel = ASCIISet(low: 0x03FF_2000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE)

  static let upperCase = ASCIISet(low: 0, high: 0x0000_0000_07FF_FFFE)
}
