import JSON
import JSONRPC

/// The answer that one call waits for, and where it goes.
///
/// `@unchecked Sendable`: it belongs to its session's loop and is touched on that loop's thread only.
final class PendingAnswer: @unchecked Sendable {
  let session: Session
  let requestID: String
  /// Nil for a notification, which is not answered.
  private let id: CallID?
  private let batch: BatchCollector?
  private let method: Int
  private let startedNanoseconds: UInt64

  init(_ session: Session, id: CallID?, method: Int, requestID: String, batch: BatchCollector?) {
    self.session = session
    self.requestID = requestID
    self.id = id
    self.method = method
    self.batch = batch
    startedNanoseconds = Clock.monotonicNanoseconds()
  }

  /// Answers with the result that `write` writes.
  func answer(_ write: (inout JSONWriter) -> Void) {
    session.worker.metrics.count(method, reason: nil, since: startedNanoseconds)
    finish { writer, id in
      writer.beginAnswer(to: id)
      write(&writer)
      writer.endAnswer()
    }
  }

  func refuse(_ error: RPCError) {
    session.worker.metrics.count(method, reason: error.reason, since: startedNanoseconds)
    var error = error
    error.requestID = requestID
    finish { writer, id in writer.answer(to: id, error: error) }
  }

  private func finish(_ write: (inout JSONWriter, CallID) -> Void) {
    if let id {
      if let batch {
        batch.add { write(&$0, id) }
      } else {
        session.send { write(&$0, id) }
      }
    }
    session.callFinished()
  }
}

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
