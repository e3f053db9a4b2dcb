/// Where a command reads and writes: a terminal, pipes, or a test.
public protocol Console: Sendable {
  /// The columns of the terminal that the output goes to; nil when it goes elsewhere.
  var outputWidth: Int? { get }
  var isErrorTerminal: Bool { get }
  /// Whether a person can answer.
  var isInputTerminal: Bool { get }

  func writeOutput(_ text: String)
  func writeError(_ text: String)
  /// A line without its end; nil at the end of the input.
  func readInputLine() -> String?

  /// Why not all of the output was written; nil while all was.
  var outputLoss: OutputLoss? { get }
}

/// Why the rest of the output is missing.
public enum OutputLoss: Hashable, Sendable {
  /// Whoever read it has gone, and needs not be told.
  case readerIsGone
  /// What the system said.
  case failed(String)
}

extension Console {
  public var outputLoss: OutputLoss? { nil }

  public func writeOutput(lines: [String]) {
    writeOutput(lines.map { $0 + "\n" }.joined())
  }

  public func writeError(lines: [String]) {
    writeError(lines.map { $0 + "\n" }.joined())
  }
}
