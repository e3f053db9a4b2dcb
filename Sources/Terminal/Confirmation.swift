/// Asks a person before something is changed.
public struct Confirmation: Sendable {
  private let console: any Console
  private let isAssumed: Bool

  /// - Parameter isAssumed: whether `--yes` was given.
  public init(on console: any Console, isAssumed: Bool) {
    self.console = console
    self.isAssumed = isAssumed
  }

  /// Returns when the person agrees.
  ///
  /// - Parameter question: a whole question, `Disable mira@example.org?`.
  /// - Throws: a failure with exit code `failed` when they do not, or when nobody is there to be asked.
  public func ask(_ question: String) throws(CommandFailure) {
    if isAssumed { return }
    guard console.isInputTerminal else {
      throw CommandFailure(
        .failed, "this needs a confirmation, and nobody can be asked", hint: "add --yes when you are sure")
    }
    console.writeError("\(VisibleText(question).string) [y/N] ")
    let answer = console.readInputLine()
    // Where the input ends without a line, the cursor still stands behind the question.
    if answer == nil { console.writeError("\n") }
    guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure(.failed, "not confirmed; nothing was changed")
    }
  }
}
