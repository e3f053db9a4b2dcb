import Synchronization
import Terminal

/// A console that answers from a script and keeps what was written.
final class RecordingConsole: Console {
  private struct State {
    var output = ""
    var error = ""
    var input: [String]
  }

  let outputWidth: Int?
  let isErrorTerminal = false
  let isInputTerminal: Bool
  private let state: Mutex<State>

  /// - Parameter input: the lines a person types; nil when nobody is there.
  init(outputWidth: Int? = nil, input: [String]? = nil) {
    self.outputWidth = outputWidth
    isInputTerminal = input != nil
    state = Mutex(State(input: input ?? []))
  }

  var output: String { state.withLock { $0.output } }
  var error: String { state.withLock { $0.error } }

  func writeOutput(_ text: String) {
    state.withLock { $0.output += text }
  }

  func writeError(_ text: String) {
    state.withLock { $0.error += text }
  }

  func readInputLine() -> String? {
    state.withLock { $0.input.isEmpty ? nil : $0.input.removeFirst() }
  }
}
