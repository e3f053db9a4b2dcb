/// Goes on where nesting exceeds what is kept, so that a text that is merely too deep can be told from one that is not
/// JSON at all. It remembers one bit for each open container and looks for no duplicate keys: either way the text is
/// refused.
struct JSONValidator {
  private(set) var cursor: JSONCursor
  /// One bit a level, the outermost first: set for an object.
  private var levels: [UInt64] = []
  private var depth = 0

  init(cursor: JSONCursor) {
    self.cursor = cursor
  }

  mutating func enter(_ kind: JSONKind) {
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if depth >> 6 == levels.count { levels.append(0) }
    if kind == .object {
      levels[depth >> 6] |= bit
    } else {
      levels[depth >> 6] &= ~bit
    }
    depth += 1
  }

  private var isInObject: Bool {
    levels[(depth - 1) >> 6] & 1 << UInt64((depth - 1) & 63) != 0
  }

  /// Reads from the beginning of a value to the end of the outermost container and the white space after it.
  mutating func restIsWellFormed() -> Bool {
    do throws(JSONCursor.Malformed) {
      try value()
      while depth > 0 {
        cursor.skipWhitespace()
        try afterValue()
      }
      cursor.skipWhitespace()
      return true
    } catch {
      return false
    }
  }

  private mutating func value() throws(JSONCursor.Malformed) {
    while true {
      switch cursor.at.pointee {
      case UInt8(ascii: "\""):
        cursor.at += 1
        _ = try cursor.string()
        return
      case UInt8(ascii: "{"):
        open(.object)
        guard cursor.at.pointee != UInt8(ascii: "}") else { return close() }
        try key()
      case UInt8(ascii: "["):
        open(.array)
        guard cursor.at.pointee != UInt8(ascii: "]") else { return close() }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        return try cursor.number()
      default:
        _ = try cursor.literal()
        return
      }
    }
  }

  private mutating func afterValue() throws(JSONCursor.Malformed) {
    let isObject = isInObject
    switch cursor.at.pointee {
    case UInt8(ascii: ","):
      cursor.at += 1
      cursor.skipWhitespace()
      if isObject { try key() }
      try value()
    case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
      close()
    default:
      throw JSONCursor.Malformed()
    }
  }

  private mutating func key() throws(JSONCursor.Malformed) {
    try cursor.expect(UInt8(ascii: "\""))
    _ = try cursor.string()
    cursor.skipWhitespace()
    try cursor.expect(UInt8(ascii: ":"))
    cursor.skipWhitespace()
  }

  private mutating func open(_ kind: JSONKind) {
    enter(kind)
    cursor.at += 1
    cursor.skipWhitespace()
  }

  private mutating func close() {
    cursor.at += 1
    depth -= 1
  }
}
