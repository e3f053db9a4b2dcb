import Accounts
import Crypto
import JSON
import JSONRPC
import Store

/// Everything about one call but its parameters: who makes it, what names it, and where its answer goes.
///
/// `@unchecked Sendable`: it belongs to its session's loop and is touched on that loop's thread only.
final class CallContext: @unchecked Sendable {
  let worker: Worker
  let access: Access
  let requestID: String
  private let session: Session
  /// Nil for a notification, which is not answered.
  private let id: CallID?
  private let batch: BatchCollector?
  private let method: Int
  private let startedNanoseconds: UInt64

  init(_ session: Session, _ access: Access, id: CallID?, method: Int, requestID: String, batch: BatchCollector?) {
    worker = session.worker
    self.session = session
    self.access = access
    self.requestID = requestID
    self.id = id
    self.method = method
    self.batch = batch
    startedNanoseconds = Clock.monotonicNanoseconds()
  }

  var caller: Caller { access.caller }

  /// The key under which the answer of this call is kept, if the caller gave one.
  ///
  /// - Parameter params: all parameters; they are compared without regard to the order of members.
  func requestKey(_ key: ExactText?, method: StaticString, params: JSONValue?) -> RequestKey? {
    guard let key, let params else { return nil }
    var writer = JSONWriter()
    params.writeCanonical(into: &writer)
    return RequestKey(
      caller: caller.name, method: ExactText(method.description), key: key,
      parametersDigest: SHA256.digest(of: writer.take()))
  }

  /// Answers with the result that `write` writes.
  func answer(_ write: (inout JSONWriter) -> Void) {
    worker.metrics.count(method, reason: nil, since: startedNanoseconds)
    finish { writer, id in
      writer.beginAnswer(to: id)
      write(&writer)
      writer.endAnswer()
    }
  }

  func refuse(_ error: RPCError) {
    worker.metrics.count(method, reason: error.reason, since: startedNanoseconds)
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
