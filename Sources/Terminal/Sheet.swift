/// Labels and what belongs to them, one under the other.
public struct Sheet: Sendable {
  private var rows: [(label: String, value: VisibleText)] = []

  public init() {}

  /// - Parameter value: raw text; nil leaves the row out.
  public mutating func add(_ label: String, _ value: String?) {
    if let value { rows.append((label, VisibleText(value))) }
  }

  /// - Parameter widthMax: the columns of the terminal, to which values are cut; nil cuts nothing.
  public func lines(widthMax: Int?, palette: Palette) -> [String] {
    let labelWidth = rows.reduce(0) { max($0, DisplayWidth.of($1.label)) }
    return rows.map { label, value in
      let padding = String(repeating: " ", count: labelWidth - DisplayWidth.of(label) + 2)
      let room = widthMax.map { max($0 - labelWidth - 2, 1) } ?? Int.max
      return palette.quiet(label) + padding + value.truncated(toWidth: room)
    }
  }
}
