/// Rows under headings, lined up for people. What would make a row too wide stands in notes below it.
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
  private static let indentation = "  "
  /// Where nothing is cut, rows are lined up within this, and a cell that is longer moves its own row alone.
  public static let widthUncut = 100

  private let columns: [Column]
  private let rows: [[VisibleText]]
  private let notes: [[VisibleText]]

  /// - Parameters:
  ///   - rows: raw text, as many cells as there are columns; missing ones are empty.
  ///   - notes: raw text, the lines below each row, broken at blanks where they are too long; missing ones are none.
  public init(_ columns: [Column], rows: [[String]], notes: [[String]] = []) {
    self.columns = columns
    self.rows = rows.map { row in
      columns.indices.map { VisibleText($0 < row.count ? row[$0] : "") }
    }
    self.notes = rows.indices.map { $0 < notes.count ? notes[$0].map { VisibleText($0) } : [] }
  }

  /// The lines of the table, headings first.
  ///
  /// - Parameter widthMax: the columns of the terminal; nil cuts nothing.
  public func lines(widthMax: Int?, palette: Palette) -> [String] {
    let widths = columnWidths(widthMax: widthMax ?? Self.widthUncut)
    let isCut = widthMax != nil
    let heading = palette.heading(line(of: columns.map { VisibleText($0.title) }, widths: widths, isCut: isCut))
    let noteWidth = widthMax.map { max($0 - Self.indentation.count, 1) }
    return [heading]
      + zip(rows, notes).flatMap { row, notes in
        [line(of: row, widths: widths, isCut: isCut)]
          + notes.flatMap { $0.lines(widthMax: noteWidth) }.map { Self.indentation + palette.quiet($0) }
      }
  }

  private func columnWidths(widthMax: Int) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(VisibleText(columns[index].title).width) { max($0, $1[index].width) }
    }
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

  private func line(of cells: [VisibleText], widths: [Int], isCut: Bool) -> String {
    let padded = columns.indices.map { index in
      let text = isCut ? cells[index].truncated(toWidth: widths[index]) : cells[index].string
      let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
      return columns[index].isNumber ? padding + text : text + padding
    }
    var line = padded.joined(separator: Self.gap)
    while line.last == " " { line.removeLast() }
    return line
  }
}
