/// A value in the text that a `JSONParser` has read last.
///
/// It is two pointers into the parser and costs nothing to copy. It is valid only until that parser's next `parse`, and
/// while the parser lives.
public struct JSONValue {
  let text: UnsafePointer<UInt8>
  let node: UnsafePointer<JSONNode>

  /// The node after this value.
  var nextNode: UnsafePointer<JSONNode> { node + Int(node.pointee.span) }

  public var kind: JSONKind { node.pointee.kind }
  public var isNull: Bool { kind == .null }
  public var isObject: Bool { kind == .object }
  public var isArray: Bool { kind == .array }
  public var isString: Bool { kind == .string }

  /// The value of `true` or `false`.
  public var bool: Bool? { kind == .bool ? node.pointee.mark : nil }

  /// The value of a number that is written as a whole one (`10`; not `10.0` or `1e1`) and fits.
  public var integer: Int64? {
    guard kind == .number else { return nil }
    var digits = raw[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    var value: Int64 = 0
    for byte in digits {
      guard byte &- UInt8(ascii: "0") <= 9 else { return nil }
      let digit = Int64(byte &- UInt8(ascii: "0"))
      let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (next, spilled) =
        isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      guard !overflowed, !spilled else { return nil }
      value = next
    }
    return value
  }

  /// At which byte of the text the value begins; a string at its opening quote.
  public var offset: Int { Int(node.pointee.start) - (kind == .string ? 1 : 0) }

  /// The value exactly as it stands in the text, a string with its quotes and escapes.
  public var raw: UnsafeRawBufferPointer {
    let quote = kind == .string ? 1 : 0
    let start = Int(node.pointee.start) - quote
    return UnsafeRawBufferPointer(start: text + start, count: Int(node.pointee.end) + quote - start)
  }
}

// MARK: Strings

extension JSONValue {
  /// A string, unescaped.
  public var string: String? {
    withUTF8 { String(decoding: $0, as: UTF8.self) }
  }

  /// The number of UTF-8 bytes of a string as it stands in the text: at least as many as it has once unescaped.
  public var escapedByteCount: Int { Int(node.pointee.end - node.pointee.start) }

  /// Calls `body` with the UTF-8 bytes of a string, unescaped; without a copy where there was nothing to unescape.
  ///
  /// - Returns: what `body` returns, or nil if this is no string.
  @inline(__always)
  public func withUTF8<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R? {
    guard kind == .string else { return nil }
    let inner = UnsafeBufferPointer(start: text + Int(node.pointee.start), count: escapedByteCount)
    guard node.pointee.mark else { return try body(inner) }
    return try Self.withUnescaped(inner, body)
  }

  private static func withUnescaped<R, E: Error>(
    _ escaped: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: escaped.count) { (scratch) throws(E) -> R in
      let count = Unescaping.unescape(escaped, into: scratch)
      return try body(UnsafeBufferPointer(rebasing: scratch[..<count]))
    }
  }

  /// Whether this is a string of exactly these bytes.
  @inline(__always)
  public func equals(_ other: StaticString) -> Bool {
    guard kind == .string else { return false }
    if !node.pointee.mark {
      return escapedByteCount == other.utf8CodeUnitCount
        && Self.areSame(text + Int(node.pointee.start), other.utf8Start, other.utf8CodeUnitCount)
    }
    return withUTF8 { utf8 in
      UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount).elementsEqual(utf8)
    } ?? false
  }

  /// Whether both are strings of the same bytes.
  func hasSameUTF8(as other: JSONValue) -> Bool {
    if !node.pointee.mark, !other.node.pointee.mark {
      return escapedByteCount == other.escapedByteCount
        && Self.areSame(text + Int(node.pointee.start), other.text + Int(other.node.pointee.start), escapedByteCount)
    }
    return withUTF8 { left in other.withUTF8 { right in left.elementsEqual(right) } } == .some(.some(true))
  }

  @inline(__always)
  private static func areSame(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where left[index] != right[index] { return false }
    return true
  }
}

// MARK: Containers

extension JSONValue {
  /// The number of elements of an array or of members of an object; 0 for anything else.
  public var count: Int {
    switch kind {
    case .array: elements.reduce(0) { count, _ in count + 1 }
    case .object: members.reduce(0) { count, _ in count + 1 }
    default: 0
    }
  }

  /// The members of an object in the order of the text; of anything else, none.
  public var members: JSONMembers { JSONMembers(of: self) }

  /// The elements of an array; of anything else, none.
  public var elements: JSONElements { JSONElements(of: self) }

  /// The member of an object that has this name.
  public func member(_ name: StaticString) -> JSONValue? {
    for (key, value) in members where key.equals(name) { return value }
    return nil
  }
}
