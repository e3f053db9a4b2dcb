/// The one pass over a text that checks it and lists its values.
struct JSONScanner {
  /// Where the list of values is written; the parser has made room for `capacity` of them.
  private let nodes: UnsafeMutablePointer<JSONNode>
  private let capacity: Int
  private let text: UnsafePointer<UInt8>
  private let nestingMax: Int
  private let keys: KeySet
  private(set) var cursor: JSONCursor
  private var count = 0
  private var depth = 0
  /// The index of the innermost open container.
  private var parent = 0

  /// What ended the pass early.
  enum Stop: Error {
    case malformed
    case duplicateName
    case tooDeep
  }

  init(
    text: UnsafePointer<UInt8>, nodes: UnsafeMutablePointer<JSONNode>, capacity: Int, nestingMax: Int, keys: KeySet
  ) {
    self.nodes = nodes
    self.capacity = capacity
    self.text = text
    self.nestingMax = nestingMax
    self.keys = keys
    cursor = JSONCursor(at: text)
  }

  /// Reads one value and the white space around it.
  mutating func document() throws(Stop) {
    cursor.skipWhitespace()
    try value()
    while depth > 0 {
      cursor.skipWhitespace()
      try afterValue()
    }
    cursor.skipWhitespace()
  }

  /// Reads a scalar, or opens containers down to the first scalar or empty container in them.
  private mutating func value() throws(Stop) {
    while true {
      switch cursor.at.pointee {
      case UInt8(ascii: "\""):
        return try string()
      case UInt8(ascii: "{"):
        try open(.object)
        guard cursor.at.pointee != UInt8(ascii: "}") else { return try close() }
        try key()
      case UInt8(ascii: "["):
        try open(.array)
        guard cursor.at.pointee != UInt8(ascii: "]") else { return try close() }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = cursor.at
        try token { cursor throws(JSONCursor.Malformed) in try cursor.number() }
        return append(.number, from: start, to: cursor.at)
      default:
        let start = cursor.at
        let (kind, mark) = try token { cursor throws(JSONCursor.Malformed) in try cursor.literal() }
        return append(kind, from: start, to: cursor.at, mark: mark)
      }
    }
  }

  /// Reads what follows a value inside a container: a comma and the next value, or the end of the container.
  private mutating func afterValue() throws(Stop) {
    let isObject = nodes[parent].kind == .object
    switch cursor.at.pointee {
    case UInt8(ascii: ","):
      cursor.at += 1
      cursor.skipWhitespace()
      if isObject { try key() }
      try value()
    case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
      try close()
    default:
      throw .malformed
    }
  }

  private mutating func key() throws(Stop) {
    guard cursor.at.pointee == UInt8(ascii: "\"") else { throw .malformed }
    try string()
    cursor.skipWhitespace()
    guard cursor.at.pointee == UInt8(ascii: ":") else { throw .malformed }
    cursor.at += 1
    cursor.skipWhitespace()
  }

  private mutating func string() throws(Stop) {
    cursor.at += 1
    let start = cursor.at
    let escaped = try token { cursor throws(JSONCursor.Malformed) in try cursor.string() }
    append(.string, from: start, to: cursor.at - 1, mark: escaped)
  }

  private mutating func open(_ kind: JSONKind) throws(Stop) {
    guard depth < nestingMax else { throw wellFormedRest() ? .tooDeep : .malformed }
    append(kind, from: cursor.at, to: cursor.at)
    nodes[count - 1].span = UInt32(truncatingIfNeeded: parent)
    parent = count - 1
    depth += 1
    cursor.at += 1
    cursor.skipWhitespace()
  }

  private mutating func close() throws(Stop) {
    cursor.at += 1
    let outer = Int(nodes[parent].span)
    nodes[parent].span = UInt32(truncatingIfNeeded: count - parent)
    nodes[parent].end = offset(of: cursor.at)
    if nodes[parent].kind == .object, keys.hasDuplicate(in: JSONValue(text: text, node: nodes + parent)) {
      throw .duplicateName
    }
    parent = outer
    depth -= 1
  }

  /// Whether the text from here on is well formed; the list of values is given up.
  private mutating func wellFormedRest() -> Bool {
    var validator = JSONValidator(cursor: cursor)
    var index = parent
    var kinds: [JSONKind] = []
    for _ in 0..<depth {
      kinds.append(nodes[index].kind)
      index = Int(nodes[index].span)
    }
    for kind in kinds.reversed() { validator.enter(kind) }
    let wellFormed = validator.restIsWellFormed()
    cursor = validator.cursor
    return wellFormed
  }

  @inline(__always)
  private mutating func append(
    _ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, mark: Bool = false
  ) {
    precondition(count < capacity)
    nodes[count] = JSONNode(start: offset(of: start), end: offset(of: end), span: 1, kind: kind, mark: mark)
    count += 1
  }

  @inline(__always)
  private func offset(of pointer: UnsafePointer<UInt8>) -> UInt32 { UInt32(truncatingIfNeeded: pointer - text) }

  @inline(__always)
  private mutating func token<T>(
    _ read: (inout JSONCursor) throws(JSONCursor.Malformed) -> T
  ) throws(Stop) -> T {
    do {
      return try read(&cursor)
    } catch {
      throw .malformed
    }
  }
}
