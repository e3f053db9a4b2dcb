/// A JSON answer as it is printed for programs, and for people who look at it.
public struct JSONDocument: Sendable {
  private let compact: String

  /// - Parameter compact: a JSON text without white space between its parts, as the daemon sends it.
  public init(compact: String) {
    self.compact = compact
  }

  /// On a terminal indented, and with nothing in it that acts on the terminal; elsewhere one line, just as it came.
  public func text(forTerminal isTerminal: Bool) -> String {
    isTerminal ? indented : compact
  }

  private var indented: String {
    var writer = IndentedWriter()
    for scalar in compact.unicodeScalars { writer.write(scalar) }
    return writer.text
  }
}

/// Puts every member and item on a line of its own.
private struct IndentedWriter {
  private(set) var text = ""
  private var depth = 0
  private var isInString = false
  private var isAfterBackslash = false
  /// An opening bracket that waits to be seen whether it holds anything.
  private var isJustOpened = false

  mutating func write(_ scalar: Unicode.Scalar) {
    if isInString {
      writeInString(scalar)
    } else {
      writeOutside(scalar)
    }
  }

  private mutating func writeInString(_ scalar: Unicode.Scalar) {
    if VisibleText.mustBeWritten(scalar) {
      text += String(scalar).utf16.map(escape).joined()
    } else {
      text.unicodeScalars.append(scalar)
    }
    if scalar == "\"", !isAfterBackslash { isInString = false }
    isAfterBackslash = scalar == "\\" && !isAfterBackslash
  }

  private mutating func writeOutside(_ scalar: Unicode.Scalar) {
    if scalar == "}" || scalar == "]" {
      depth -= 1
      if !isJustOpened { breakLine() }
    } else if isJustOpened {
      breakLine()
    }
    isJustOpened = scalar == "{" || scalar == "["
    if isJustOpened { depth += 1 }
    isInString = scalar == "\""
    text.unicodeScalars.append(scalar)
    if scalar == "," { breakLine() }
    if scalar == ":" { text += " " }
  }

  private mutating func breakLine() {
    text += "\n" + String(repeating: "  ", count: max(0, depth))
  }

  private func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
