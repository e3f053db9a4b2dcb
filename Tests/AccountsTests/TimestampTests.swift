import Accounts
import Testing

struct TimestampTests {
  @Test func `every day of two centuries is written as the calendar names it`() {
    var day = (year: 1900, month: 1, day: 1)
    var daysSince1970 = -25_567
    while day.year < 2101 {
      let noon = Timestamp(microseconds: (Int64(daysSince1970) * 86_400 + 43_200) * 1_000_000)
      #expect(noon.description == "\(day.year)-\(padded(day.month))-\(padded(day.day))T12:00:00.000Z")
      daysSince1970 += 1
      day.day += 1
      if day.day > length(ofMonth: day.month, in: day.year) { (day.day, day.month) = (1, day.month + 1) }
      if day.month > 12 { (day.month, day.year) = (1, day.year + 1) }
    }
  }

  private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func length(ofMonth month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (999, "1970-01-01T00:00:00.000Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999_999, "2000-02-29T23:59:59.999Z"),
      (1_709_164_800_000_000, "2024-02-29T00:00:00.000Z"), (1_796_011_506_789_012, "2026-11-30T04:05:06.789Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000_000, "0000-01-01T00:00:00.000Z"), (Int64.min, "0000-01-01T00:00:00.000Z"),
      (-62_162_035_200_000_001, "0000-02-29T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `a moment is written in RFC 3339`(microseconds: Int64, text: String) {
    #expect(Timestamp(microseconds: microseconds).description == text)
  }

  @Test func `seconds may be added in fractions`() {
    let start = Timestamp(microseconds: 1_000_000)
    #expect(start.advanced(bySeconds: 0.25).microseconds == 1_250_000)
    #expect(start.advanced(bySeconds: -2) < start)
    #expect(start.advanced(bySeconds: 1e300).microseconds == .max)
    #expect(start.advanced(bySeconds: -1e300).microseconds == .min)
    #expect(Timestamp(microseconds: .max).advanced(bySeconds: 1).microseconds == .max)
  }
}
