import Accounts

extension UniqueID {
  /// Reads the 36-byte text form where it lies.
  init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (position, byte) in utf8.enumerated() {
      switch position {
      case 8, 13, 18, 23:
        guard byte == UInt8(ascii: "-") else { return nil }
      default:
        guard let digit = Self.value(ofHexDigit: byte) else { return nil }
        high = high << 4 | low >> 60
        low = low << 4 | digit
      }
    }
    self.init(high: high, low: low)
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
