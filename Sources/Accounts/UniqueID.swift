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

  /// A version 7 id.
  ///
  /// - Parameters:
  ///   - time: the moment of creation; its milliseconds become the first 48 bits.
  ///   - random: 128 random bits, of which 74 are used.
  public init(version7At time: Timestamp, random: (UInt64, UInt64)) {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
    high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
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
    var position = 0
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
        buffer[position] = UInt8(ascii: "-")
        position += 1
      }
      let word = nibble < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - (nibble & 15) * 4) & 0xF)
      buffer[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
      position += 1
    }
    return position
  }
}
