/// A person's birthday as a provider tells it: often without the year.
public struct Birthday: Hashable, Sendable {
  public let month: Int
  public let day: Int
  public let year: Int?

  private static let daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  private static let years = 1850...2200

  /// Fails for what is no day; a year that cannot be is none.
  public init?(month: Int, day: Int, year: Int? = nil) {
    guard (1...12).contains(month), (1...Self.daysOfMonth[month - 1]).contains(day) else { return nil }
    self.month = month
    self.day = day
    self.year = year.flatMap { Self.years.contains($0) ? $0 : nil }
  }

  /// Reads `MM-DD`, or `YYYY-MM-DD`, where 0000 stands for a year that is not told.
  ///
  /// - Parameter year: `YYYY`, where it is told apart.
  public init?(_ text: String, year: String? = nil) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { digits in
      digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && (2...4).contains(digits.count)
        ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
    guard (2...3).contains(parts.count), let month = parts[parts.count - 2], let day = parts[parts.count - 1] else {
      return nil
    }
    guard parts.count == 2 || parts[0] != nil else { return nil }
    self.init(month: month, day: day, year: parts.count == 3 ? parts[0] : year.flatMap { Int($0) })
  }

  /// The form that is stored: `MM-DD` or `MM-DD-YYYY`.
  public var stored: ExactText {
    ExactText(year.map { "\(storedDay)-\(Self.digits($0, 4))" } ?? storedDay)
  }

  /// The beginning of ``stored`` that is the same in every year: `MM-DD`.
  var storedDay: String { "\(Self.digits(month, 2))-\(Self.digits(day, 2))" }

  /// Whether both tell the year, for birthdays that may be one; nil for those that cannot be.
  func isYearKnown(sharedWith other: Birthday?) -> Bool? {
    guard let other, (month, day) == (other.month, other.day) else { return nil }
    guard let year, let otherYear = other.year else { return false }
    return year == otherYear ? true : nil
  }

  /// Reads ``stored``.
  public init?(stored: ExactText) {
    let parts = stored.string.split(separator: "-").compactMap { Int($0) }
    guard (2...3).contains(parts.count) else { return nil }
    self.init(month: parts[0], day: parts[1], year: parts.count == 3 ? parts[2] : nil)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
