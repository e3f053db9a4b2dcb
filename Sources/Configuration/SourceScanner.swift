/// Walks over a JSON5 text, telling a `SourceMap` where keys and items stand.
struct SourceScanner {
  /// A configuration needs four levels; the limit keeps a hostile file from exhausting the stack.
  private static let depthMax = 32

  private let text: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func scanDocument(into map: inout SourceMap) throws(SourceMap.SyntaxError) {
    try skipBlanks()
    map.note(.root, at: line)
    try scanValue(at: .root, depth: 1, into: &map)
    try skipBlanks()
    if position < text.count { throw error("nothing may follow the closing brace") }
  }

  // MARK: Values

  private mutating func scanValue(
    at path: ValuePath, depth: Int, into map: inout SourceMap
  ) throws(SourceMap.SyntaxError) {
    guard depth <= Self.depthMax else { throw error("nested deeper than \(Self.depthMax) levels") }
    switch current {
    case UInt8(ascii: "{"): try scanObject(at: path, depth: depth, into: &map)
    case UInt8(ascii: "["): try scanList(at: path, depth: depth, into: &map)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try scanQuoted()
    default: try scanBareValue()
    }
  }

  private mutating func scanObject(
    at path: ValuePath, depth: Int, into map: inout SourceMap
  ) throws(SourceMap.SyntaxError) {
    let opened = line
    position += 1
    while try !closes(with: "}", openedAt: opened) {
      let keyLine = line
      let member = path.appending(key: try scanKey())
      map.note(member, at: keyLine)
      try skipBlanks()
      guard current == UInt8(ascii: ":") else { throw error("expected \":\" after the key \"\(member)\"") }
      position += 1
      try skipBlanks()
      try scanValue(at: member, depth: depth + 1, into: &map)
      try scanSeparator(before: "}", openedAt: opened)
    }
  }

  private mutating func scanList(
    at path: ValuePath, depth: Int, into map: inout SourceMap
  ) throws(SourceMap.SyntaxError) {
    let opened = line
    position += 1
    var index = 0
    while try !closes(with: "]", openedAt: opened) {
      let item = path.appending(index: index)
      map.note(item, at: line)
      try scanValue(at: item, depth: depth + 1, into: &map)
      try scanSeparator(before: "]", openedAt: opened)
      index += 1
    }
  }

  /// Steps over the closing bracket when it is next.
  private mutating func closes(
    with bracket: Unicode.Scalar, openedAt opened: Int
  ) throws(SourceMap.SyntaxError) -> Bool {
    try skipBlanks()
    guard let byte = current else { throw error("the bracket opened on line \(opened) is never closed") }
    guard byte == UInt8(ascii: bracket) else { return false }
    position += 1
    return true
  }

  /// Steps over the comma between two members; the closing bracket is left for `closes`.
  private mutating func scanSeparator(
    before bracket: Unicode.Scalar, openedAt opened: Int
  ) throws(SourceMap.SyntaxError) {
    let valueLine = line
    try skipBlanks()
    switch current {
    case UInt8(ascii: ","): position += 1
    case UInt8(ascii: bracket): break
    case nil: throw error("the bracket opened on line \(opened) is never closed")
    default: throw SourceMap.SyntaxError(line: valueLine, message: "expected \",\" or \"\(bracket)\" after the value")
    }
  }

  /// A number or one of the literals; the decoder judges its digits.
  private mutating func scanBareValue() throws(SourceMap.SyntaxError) {
    let word = scanRun { byte in byte.isWordByte || [0x2B, 0x2D, 0x2E].contains(byte) }
    if word.isEmpty { throw error("expected a value") }
    let beginsNumber = word.utf8.first.map { !$0.isLetterByte } ?? false
    guard beginsNumber || ["true", "false", "null", "Infinity", "NaN"].contains(word) else {
      throw error("\"\(word)\" is no value; text stands in quotes")
    }
  }

  // MARK: Words

  private mutating func scanKey() throws(SourceMap.SyntaxError) -> String {
    if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") {
      let key = try scanQuoted()
      if key.utf8.contains(UInt8(ascii: "\\")) { throw error("a key is written without \"\\\"") }
      return key
    }
    let word = scanRun(where: \.isWordByte)
    guard let first = word.utf8.first, !(0x30...0x39).contains(first) else { throw error("expected a key") }
    return word
  }

  /// Text in single or double quotes, as written between them.
  private mutating func scanQuoted() throws(SourceMap.SyntaxError) -> String {
    let opened = line
    let quote = current
    position += 1
    let start = position
    while let byte = current, byte != quote {
      switch byte {
      case UInt8(ascii: "\n"): throw SourceMap.SyntaxError(line: opened, message: "text is not closed on its line")
      case UInt8(ascii: "\\"): try scanEscape()
      default: position += 1
      }
    }
    guard current == quote else { throw SourceMap.SyntaxError(line: opened, message: "text is never closed") }
    let content = String(decoding: text[start..<position], as: UTF8.self)
    position += 1
    return content
  }

  private mutating func scanEscape() throws(SourceMap.SyntaxError) {
    position += 1
    guard let byte = current else { throw error("text is never closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\n"): line += 1
    case UInt8(ascii: "x"): try scanHexDigits(2)
    case UInt8(ascii: "u"): try scanHexDigits(4)
    default:
      guard "'\"\\/bfnrtv0\r".utf8.contains(byte) else { throw error("unknown escape after \"\\\" in text") }
    }
  }

  private mutating func scanHexDigits(_ count: Int) throws(SourceMap.SyntaxError) {
    for _ in 0..<count {
      guard let byte = current, byte.isHexDigitByte else { throw error("expected \(count) hexadecimal digits in text") }
      position += 1
    }
  }

  private mutating func scanRun(where belongs: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = current, belongs(byte) { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  // MARK: Between the words

  private mutating func skipBlanks() throws(SourceMap.SyntaxError) {
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(SourceMap.SyntaxError) {
    switch position + 1 < text.count ? text[position + 1] : nil {
    case UInt8(ascii: "/"):
      while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
    case UInt8(ascii: "*"): try skipBlockComment()
    default: throw error("a lone \"/\"; comments begin with \"//\" or \"/*\"")
    }
  }

  private mutating func skipBlockComment() throws(SourceMap.SyntaxError) {
    let opened = line
    position += 2
    while position + 1 < text.count {
      if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") {
        position += 2
        return
      }
      if text[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
    throw SourceMap.SyntaxError(line: opened, message: "the comment is never closed")
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private func error(_ message: String) -> SourceMap.SyntaxError {
    SourceMap.SyntaxError(line: line, message: message)
  }
}

extension UInt8 {
  fileprivate var isLetterByte: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

  /// What an unquoted key may hold: letters, digits, `_` and `$`.
  fileprivate var isWordByte: Bool { isLetterByte || (0x30...0x39).contains(self) || self == 0x5F || self == 0x24 }

  fileprivate var isHexDigitByte: Bool {
    (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
  }
}
