extension VisibleText {
  /// The text in lines of at most so many columns, broken at blanks. A word that is longer stays whole, to be copied.
  public func lines(widthMax: Int?) -> [String] {
    guard let widthMax else { return [string] }
    var lines: [String] = []
    var line = ""
    for word in string.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) <= widthMax {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return lines + [line]
  }
}
