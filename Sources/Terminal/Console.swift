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

  /// Why some of the output could not be written; nil while all was, or when whoever read it had enough.
  var outputProblem: String? { get }
}

extension Console {
  public var outputProblem: String? { nil }

  public func writeOutput(lines: [String]) {
    writeOutput(lines.map { $0 + "\n" }.joined())
  }

  public func writeError(lines: [String]) {
    writeError(lines.map { $0 + "\n" }.joined())
  }
}
