import Synchronization
import Terminal

/// A console that answers from a script and keeps what was written.
public final class RecordingConsole: Console {
  private struct State {
    var output = ""
    var error = ""
    var input: [String]
  }

  public let outputWidth: Int?
  public let isErrorTerminal: Bool
  public let isInputTerminal: Bool
  public let outputLoss: OutputLoss?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - outputWidth: nil where the output is no terminal.
  ///   - input: the lines a person types; nil when nobody is there.
  ///   - outputLoss: why nothing can be written to the output.
  public init(
    outputWidth: Int? = nil, isErrorTerminal: Bool = false, input: [String]? = nil, outputLoss: OutputLoss? = nil
  ) {
    self.outputWidth = outputWidth
    self.isErrorTerminal = isErrorTerminal
    isInputTerminal = input != nil
    self.outputLoss = outputLoss
    state = Mutex(State(input: input ?? []))
  }

  public var output: String { state.withLock { $0.output } }
  public var error: String { state.withLock { $0.error } }

  public func writeOutput(_ text: String) {
    state.withLock { $0.output += text }
  }

  public func writeError(_ text: String) {
    state.withLock { $0.error += text }
  }

  public func readInputLine() -> String? {
    state.withLock { $0.input.isEmpty ? nil : $0.input.removeFirst() }
  }
}
