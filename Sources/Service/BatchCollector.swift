import JSON
import JSONRPC

/// Gathers the answers to one batch and sends them as one line.
final class BatchCollector {
  private let session: Session
  private var answers = BatchAnswers()
  /// Whether calls of the batch are still being read.
  private var isOpen = true

  init(_ session: Session) {
    self.session = session
  }

  func expectAnswer() { answers.expectAnswer() }

  func add(_ write: (inout JSONWriter) -> Void) {
    answers.add(write)
    finishIfComplete()
  }

  /// No further call belongs to the batch.
  func close() {
    isOpen = false
    finishIfComplete()
  }

  private func finishIfComplete() {
    guard !isOpen, answers.outstanding == 0, let line = answers.finish() else { return }
    session.send(line: line)
  }
}
