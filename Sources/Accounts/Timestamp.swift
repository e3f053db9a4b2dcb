/// A moment, as microseconds since 1970-01-01T00:00:00Z: what PostgreSQL keeps and the wire tells.
public struct Timestamp: Hashable, Sendable {
  public let microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Whole milliseconds since 1970, rounded down.
  public var milliseconds: Int64 { microseconds / 1000 - (microseconds % 1000 < 0 ? 1 : 0) }

  /// The moment so much later, or earlier; past the ends of time it is the nearest end.
  public func advanced(bySeconds seconds: Double) -> Timestamp {
    let step = seconds * 1_000_000
    guard step > -0x1p63, step < 0x1p63 else { return Timestamp(microseconds: step < 0 ? .min : .max) }
    let whole = Int64(step)
    let (sum, isOverflow) = microseconds.addingReportingOverflow(whole)
    return Timestamp(microseconds: isOverflow ? (whole < 0 ? .min : .max) : sum)
  }
}

extension Timestamp: Comparable {
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with milliseconds, as on the wire: `2026-11-30T04:05:06.789Z`.
  public var description: String {
    String(unsafeUninitializedCapacity: 24) { write(to: $0) }
  }

  /// Writes the RFC 3339 form into a buffer of at least 24 bytes and returns 24.
  ///
  /// Years outside 0…9999 are outside RFC 3339 and are written as the nearest end.
  public func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let first: Int64 = -62_167_219_200_000
    let last: Int64 = 253_402_300_799_999
    let clamped = min(max(milliseconds, first), last)
    let date = CivilDate(daysSince1970: Int((clamped - first) / 86_400_000) - 719_528)
    let inDay = Int((clamped - first) % 86_400_000)
    Self.write(date.year / 100, to: buffer, at: 0)
    Self.write(date.year % 100, to: buffer, at: 2)
    Self.write(date.month, to: buffer, at: 5)
    Self.write(date.day, to: buffer, at: 8)
    Self.write(inDay / 3_600_000, to: buffer, at: 11)
    Self.write(inDay / 60_000 % 60, to: buffer, at: 14)
    Self.write(inDay / 1000 % 60, to: buffer, at: 17)
    Self.write(inDay % 1000 / 10, to: buffer, at: 20)
    buffer[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: inDay % 10)
    buffer[4] = UInt8(ascii: "-")
    buffer[7] = UInt8(ascii: "-")
    buffer[10] = UInt8(ascii: "T")
    buffer[13] = UInt8(ascii: ":")
    buffer[16] = UInt8(ascii: ":")
    buffer[19] = UInt8(ascii: ".")
    buffer[23] = UInt8(ascii: "Z")
    return 24
  }

  /// Two digits.
  @inline(__always)
  private static func write(_ value: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
    buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
    buffer[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
  }
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
  let year: Int
  let month: Int
  let day: Int

  /// Counts in years that begin on 1 March, so that the leap day comes last.
  init(daysSince1970: Int) {
    let shifted = daysSince1970 + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}
