import Accounts
import JSON

extension Timestamp: WireValue {
  /// The beginning of 1970: what stands in a shape before it is decoded.
  static let unset = Timestamp(microseconds: 0)

  public static func decode(_ json: JSONValue, _: NoLimits, _: WireSide) throws(ShapeProblem) -> Timestamp {
    guard let found = json.withUTF8({ Timestamp(utf8: $0) }) else { throw .wrongType("a time as text") }
    guard let time = found else {
      throw ShapeProblem(
        json.equals("") ? .empty : .format, "must be a time in UTC with milliseconds, as in 2026-11-30T04:05:06.789Z")
    }
    return time
  }

  public func encode(into writer: inout JSONWriter) {
    writer.plainString(capacity: 24) { write(to: $0) }
  }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("string" as StaticString)
    schema.json.member("format")
    schema.json.string("date-time" as StaticString)
  }

  /// Reads the one form that the wire has: `2026-11-30T04:05:06.789Z`.
  private init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.count == 24 else { return nil }
    for (position, byte) in zip([4, 7, 10, 13, 16, 19, 23], "--T::.Z".utf8) where utf8[position] != byte {
      return nil
    }
    guard let year = Self.number(utf8[0..<4]), let month = Self.number(utf8[5..<7]),
      let day = Self.number(utf8[8..<10]),
      let hour = Self.number(utf8[11..<13]), let minute = Self.number(utf8[14..<16]),
      let second = Self.number(utf8[17..<19]), let millisecond = Self.number(utf8[20..<23]),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    let time = Timestamp(microseconds: Int64(seconds * 1000 + millisecond) * 1000)
    // A day that its month does not have would come out as one of the next month.
    guard time.description.utf8.elementsEqual(utf8) else { return nil }
    self = time
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var number = 0
    for byte in digits {
      guard byte &- UInt8(ascii: "0") <= 9 else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }

  /// Counts in years that begin on 1 March, so that the leap day comes last.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = (month <= 2 ? year - 1 : year) + 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
  }
}
