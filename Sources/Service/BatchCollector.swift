import JSON
import JSONRPC

/// Gathers the answers to one batch, which are one line. A long line leaves in parts, so that it need not wait here whole.
final class BatchCollector {
  /// With so much gathered the line begins to leave.
  private static let partBytes = 65_536

  private let session: Session
  private var answers = BatchAnswers()
  /// Whether calls of the batch are still being read.
  private var isOpen = true

  init(_ session: Session) {
    self.session = session
  }

  var isComplete: Bool { !isOpen && answers.outstanding == 0 }

  /// What is gathered and has not left.
  var byteCount: Int { answers.byteCount }

  func expectAnswer() { answers.expectAnswer() }

  func add(_ write: (inout JSONWriter) -> Void) {
    answers.add(write)
    leaveIfDue()
  }

  /// No further call belongs to the batch.
  func close() {
    isOpen = false
    leaveIfDue()
  }

  /// The next part of the line, with its end if the batch is complete; nil where nothing is to be answered because all
  /// were notifications.
  func takePart() -> [UInt8]? { isComplete ? answers.finish() : answers.takePart() }

  private func leaveIfDue() {
    if isComplete || byteCount >= Self.partBytes { session.sendPart(of: self) }
  }
}
