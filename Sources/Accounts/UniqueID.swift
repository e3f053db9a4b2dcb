/// A UUID (RFC 9562) as two words: what every id of Kith is made of.
///
/// New ids are version 7, so they sort by the time they were made and carry it: the creation time of a user *is* the
/// time in its id.
public struct UniqueID: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A version 7 id. Those of different microseconds are in the order of their times (RFC 9562, section 6.2, method 3).
  ///
  /// - Parameters:
  ///   - time: the moment of creation; its milliseconds become the first 48 bits, and what is over the next 12.
  ///   - random: 128 random bits, of which 62 are used.
  public init(version7At time: Timestamp, random: (UInt64, UInt64)) {
    let microseconds = UInt64(clamping: time.microseconds)
    let (milliseconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
    high = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | 0x7000 | rest << 12 / 1000
    low = 0x8000_0000_0000_0000 | random.1 >> 2
  }

  /// When a version 7 id was made, to the millisecond.
  public var time: Timestamp {
    Timestamp(microseconds: Int64(high >> 16) * 1000)
  }
}

extension UniqueID: Comparable {
  public static func < (left: UniqueID, right: UniqueID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UniqueID: LosslessStringConvertible {
  /// Where the hyphens stand in the text form.
  private static let hyphens: Set<Int> = [8, 13, 18, 23]

  /// Reads the 36-character text form, with hexadecimal digits of either case.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for (position, byte) in bytes.enumerated() {
      if Self.hyphens.contains(position) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.value(ofDigit: byte) else { return nil }
      words.0 = words.0 << 4 | words.1 >> 60
      words.1 = words.1 << 4 | digit
    }
    self.init(high: words.0, low: words.1)
  }

  /// The ids whose text form begins with the given text; nil when none can, or when it has fewer digits than asked for.
  static func range(ofPrefix text: String, digitsMin: Int) -> ClosedRange<UniqueID>? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 36, bytes.count(where: { $0 != UInt8(ascii: "-") }) >= digitsMin else { return nil }
    let lowest = Array("00000000-0000-0000-0000-000000000000".utf8)
    let highest = Array("ffffffff-ffff-ffff-ffff-ffffffffffff".utf8)
    guard let first = UniqueID(String(decoding: bytes + lowest.dropFirst(bytes.count), as: UTF8.self)),
      let last = UniqueID(String(decoding: bytes + highest.dropFirst(bytes.count), as: UTF8.self))
    else { return nil }
    return first...last
  }

  private static func value(ofDigit byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The text form: 36 characters, lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { write(to: $0) }
  }

  /// Writes the text form into a buffer of at least 36 bytes and returns 36.
  public func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard let start = buffer.baseAddress.map({ UnsafeMutableRawPointer($0) }), buffer.count >= 36 else { return 0 }
    let second = Self.digits(of: UInt32(truncatingIfNeeded: high))
    let third = Self.digits(of: UInt32(truncatingIfNeeded: low >> 32))
    start.storeBytes(of: Self.digits(of: UInt32(truncatingIfNeeded: high >> 32)).littleEndian, as: UInt64.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
    let fourth = Self.digits(of: UInt32(truncatingIfNeeded: low))
    start.storeBytes(of: fourth.littleEndian, toByteOffset: 28, as: UInt64.self)
    buffer[8] = UInt8(ascii: "-")
    buffer[13] = UInt8(ascii: "-")
    buffer[18] = UInt8(ascii: "-")
    buffer[23] = UInt8(ascii: "-")
    return 36
  }

  /// Eight hexadecimal digits as text, the first in the lowest byte. All eight are made at once, because every answer
  /// has several ids.
  private static func digits(of word: UInt32) -> UInt64 {
    var lanes = UInt64(word.byteSwapped)
    lanes = (lanes | lanes << 16) & 0x0000_FFFF_0000_FFFF
    lanes = (lanes | lanes << 8) & 0x00FF_00FF_00FF_00FF
    let nibbles = lanes >> 4 & 0x000F_000F_000F_000F | (lanes & 0x000F_000F_000F_000F) << 8
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }
}
