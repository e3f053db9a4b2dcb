/// The line of every key and list item of a JSON5 text, and which keys stand twice.
///
/// The decoder tells no lines, so this is read beside it. What the text means is the decoder's to say; this knows only
/// where things stand.
struct SourceMap {
  struct Duplicate: Equatable {
    let path: ValuePath
    let line: Int
    let firstLine: Int
  }

  /// The text is not JSON5.
  struct SyntaxError: Error, Equatable {
    let line: Int
    let message: String
  }

  private(set) var lines: [ValuePath: Int] = [:]
  private(set) var duplicates: [Duplicate] = []

  init(of text: [UInt8]) throws(SyntaxError) {
    var scanner = SourceScanner(text)
    try scanner.scanDocument(into: &self)
  }

  /// The line of a path, or of the nearest thing around it that has one.
  func line(of path: ValuePath) -> Int {
    var path = path
    while true {
      if let line = lines[path] { return line }
      guard let parent = path.parent else { return 1 }
      path = parent
    }
  }

  mutating func note(_ path: ValuePath, at line: Int) {
    if let firstLine = lines[path] {
      duplicates.append(Duplicate(path: path, line: line, firstLine: firstLine))
    } else {
      lines[path] = line
    }
  }
}
