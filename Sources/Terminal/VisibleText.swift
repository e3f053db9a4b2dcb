/// Text from elsewhere made safe for a terminal: what would act on the terminal, reorder the line or hide is written out.
public struct VisibleText: Hashable, Sendable {
  public let string: String

  public init(_ raw: String) {
    guard raw.unicodeScalars.contains(where: Self.mustBeWritten) else {
      string = raw
      return
    }
    var scalars = String.UnicodeScalarView()
    for scalar in raw.unicodeScalars {
      if Self.mustBeWritten(scalar) {
        scalars.append(contentsOf: Self.escape(scalar).unicodeScalars)
      } else {
        scalars.append(scalar)
      }
    }
    string = String(scalars)
  }

  /// The columns it takes.
  public var width: Int { DisplayWidth.of(string) }

  /// Cut to a number of columns, with `…` for what is missing.
  public func truncated(toWidth widthMax: Int) -> String {
    guard width > widthMax else { return string }
    var result = ""
    var used = 0
    for character in string {
      let width = DisplayWidth.of(character)
      guard used + width < widthMax else { break }
      result.append(character)
      used += width
    }
    return widthMax > 0 ? result + "…" : ""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  static func mustBeWritten(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isBidiControl || (properties.isDefaultIgnorableCodePoint && !isJoiner(scalar))
    }
  }

  /// Invisible in itself, but shapes its neighbours: joiners, and variation selectors of emoji and ideographs.
  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
    default: false
    }
  }
}
