/// How far a long work has got, on one line of the error output that is drawn over and over; nothing where that is no
/// terminal.
public struct ProgressBar: Sendable {
  /// For an output that does not tell its width.
  private static let widthByDefault = 80
  private static let barWidthMax = 40

  private let title: String
  private let total: Int
  private let console: any Console

  /// - Parameter total: how many there are to do; more may be done in the end.
  public init(_ title: String, total: Int, on console: any Console) {
    self.title = title
    self.total = total
    self.console = console
  }

  /// Draws the line anew.
  public func show(done: Int) {
    guard console.isErrorTerminal else { return }
    console.writeError("\r" + line(done: done, width: console.outputWidth ?? Self.widthByDefault))
  }

  /// Takes the line away, for what is said next.
  public func clear() {
    guard console.isErrorTerminal else { return }
    console.writeError("\r\u{1B}[K")
  }

  /// The line in at most so many columns; the bar itself gives way first.
  func line(done: Int, width: Int) -> String {
    let whole = max(total, done, 1)
    let percent = String(done * 100 / whole)
    let count = String(done)
    let counted = String(repeating: " ", count: max(0, "\(whole)".count - count.count)) + count + " of \(whole)"
    let words = String(repeating: " ", count: 3 - percent.count) + "\(percent) %  \(counted)"
    // One column is left free: a terminal may go on to the next line when the last one is written to.
    let room = min(Self.barWidthMax, width - 1 - DisplayWidth.of(title) - words.count - 6)
    guard room > 0 else { return VisibleText("\(title)  \(words)").truncated(toWidth: max(width - 1, 1)) }
    let filled = done * room / whole
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
    return "\(title)  [\(bar)]  \(words)"
  }
}
