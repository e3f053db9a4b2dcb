import Glibc

/// Text that is equal only when its UTF-8 bytes are equal.
///
/// Swift's `String` compares by canonical equivalence, under which U+212A (KELVIN SIGN) equals `K`. Ids that decide who
/// somebody is may not be confused like that, so subjects, addresses, keys and names of callers are held in this type.
public struct ExactText: Sendable {
  public let string: String

  public init(_ string: String) {
    self.string = string
  }

  /// The number of UTF-8 bytes.
  public var byteCount: Int { string.utf8.count }
}

extension ExactText: Hashable, Comparable {
  public static func == (left: ExactText, right: ExactText) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return compare(left, right) { a, b in
      guard let a = a.baseAddress, let b = b.baseAddress else { return true }
      return memcmp(a, b, left.byteCount) == 0
    }
  }

  public static func < (left: ExactText, right: ExactText) -> Bool {
    compare(left, right) { a, b in a.lexicographicallyPrecedes(b) }
  }

  public func hash(into hasher: inout Hasher) {
    var text = string
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  private static func compare(
    _ left: ExactText, _ right: ExactText,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var left = left.string
    var right = right.string
    return left.withUTF8 { a in right.withUTF8 { b in body(a, b) } }
  }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral value: String) {
    self.init(value)
  }

  public var description: String { string }
}
