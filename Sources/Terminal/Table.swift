/// Rows under headings, lined up for people.
public struct Table: Sendable {
  public struct Column: Sendable {
    public let title: String
    public let isNumber: Bool
    /// How narrow it may become when the table is too wide; nil keeps it whole, as for ids that are copied.
    public let widthMin: Int?

    public init(_ title: String, isNumber: Bool = false, widthMin: Int? = nil) {
      self.title = title
      self.isNumber = isNumber
      self.widthMin = widthMin
    }
  }

  private static let gap = "  "

  private let columns: [Column]
  private let rows: [[VisibleText]]

  /// - Parameter rows: raw text, as many cells as there are columns; missing ones are empty.
  public init(_ columns: [Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows.map { row in
      columns.indices.map { VisibleText($0 < row.count ? row[$0] : "") }
    }
  }

  /// The lines of the table, headings first.
  ///
  /// - Parameter widthMax: the columns of the terminal; nil cuts nothing.
  public func lines(widthMax: Int?, palette: Palette) -> [String] {
    let widths = columnWidths(widthMax: widthMax)
    let heading = palette.heading(line(of: columns.map { VisibleText($0.title) }, widths: widths))
    return [heading] + rows.map { line(of: $0, widths: widths) }
  }

  private func columnWidths(widthMax: Int?) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(VisibleText(columns[index].title).width) { max($0, $1[index].width) }
    }
    guard let widthMax else { return widths }
    var excess = widths.reduce(0, +) + Self.gap.count * (columns.count - 1) - widthMax
    // The widest gives way first, one column at a time, so that narrow ones stay readable.
    while excess > 0, let widest = shrinkable(widths).max(by: { widths[$0] < widths[$1] }) {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func shrinkable(_ widths: [Int]) -> [Int] {
    columns.indices.filter { index in
      columns[index].widthMin.map { widths[index] > $0 } ?? false
    }
  }

  private func line(of cells: [VisibleText], widths: [Int]) -> String {
    let padded = columns.indices.map { index in
      let text = cells[index].truncated(toWidth: widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
      return columns[index].isNumber ? padding + text : text + padding
    }
    var line = padded.joined(separator: Self.gap)
    while line.last == " " { line.removeLast() }
    return line
  }
}
