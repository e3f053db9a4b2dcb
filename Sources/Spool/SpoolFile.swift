import Accounts

/// One file of the spool, which holds the entries of one batch.
public struct SpoolFile: Hashable, Sendable {
  /// Grows from file to file: microseconds since 1970 when its first entry was received, or one more than the file
  /// before it.
  let number: UInt64

  static let suffix = ".entries"
  /// Of one that was set aside.
  static let invalidSuffix = ".invalid"
  private static let digits = 16

  init(number: UInt64) {
    self.number = number
  }

  /// The name in the spool's folder; names sort by the time.
  public var name: String { stem + Self.suffix }

  /// The name once it was set aside.
  public var invalidName: String { stem + Self.invalidSuffix }

  private var stem: String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: Self.digits - text.utf8.count) + text
  }

  /// Reads a name that ends in one of the two ways.
  init?(name: String, suffix: String) {
    let bytes = Array(name.utf8)
    guard bytes.count == Self.digits + suffix.utf8.count, bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8),
      let number = UInt64(name.prefix(Self.digits), radix: 16)
    else { return nil }
    let file = SpoolFile(number: number)
    guard file.stem.utf8.elementsEqual(bytes.prefix(Self.digits)) else { return nil }
    self = file
  }

  /// When it was written, or shortly after.
  var time: Timestamp { Timestamp(microseconds: Int64(clamping: number)) }
}

extension SpoolFile: CustomStringConvertible {
  public var description: String { name }
}
