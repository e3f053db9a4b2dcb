import API
import Accounts
import Crypto
import Glibc
import JSON
import JSONRPC
import Operations
import Store
import Vault

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
  func requestKey<M: Method>(
    _ key: ExactText?, _: M.Type, params: JSONValue?
  ) throws(RPCError) -> RequestKey? {
    guard let key, let params else { return nil }
    let digests = try digests(of: params, M.self)
    return RequestKey(
      caller: caller.name, method: ExactText(M.name.description), key: key, parametersDigest: digests[0],
      formerDigests: Array(digests.dropFirst()))
  }

  /// What tells whether parameters are the same: SHA-256, of which only a keyed code is kept where they hold what is stored
  /// sealed, since who has the database could try what is likely.
  ///
  /// - Returns: one; for a keyed code also those by former keys, after that by the primary one.
  private func digests<M: Method>(of params: JSONValue, _: M.Type) throws(RPCError) -> [[UInt8]] {
    var writer = JSONWriter()
    params.writeCanonical(into: &writer)
    var canonical = writer.take()
    let digest = SHA256.digest(of: canonical)
    guard M.takesSecret else { return [digest] }
    canonical.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }
    guard let sealer = worker.operations.sealer.current else {
      var error = databaseIsMissing
      // Nothing can be sealed either.
      if M.bringsDetails { error.details.append(.kept(false)) }
      throw error
    }
    do throws(SealingError) {
      return try sealer.keyRing.codes(
        of: SecretBytes(copying: digest), field: Self.parametersField, databaseID: sealer.databaseID)
    } catch {
      throw RPCError(.sealing(error, record: "the parameters of a call"), for: self)
    }
  }

  /// Names what is coded; a part of what is stored.
  private static let parametersField: ExactText = "kith.request_keys.parameters"

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

  // MARK: The connection

  /// Has something done when the peer says nothing more before the call has ended; nil takes that back.
  func whenPeerEnds(_ action: (() -> Void)?) { session.whenPeerEnds(self, action) }

  /// Makes the one subscription of the connection.
  ///
  /// - Throws: `too_many`.
  func subscribe(after start: EventCursor) throws(RPCError) -> Subscription {
    let subscription = Subscription(self, after: start.place)
    guard session.take(subscription) else {
      throw RPCError(.tooMany, "The connection has a subscription already.", hint: "Subscribe on another connection.")
    }
    return subscription
  }

  /// Sends lines that are no answer.
  func push(_ lines: [UInt8]) { session.push(lines) }

  /// Returns once everything that was sent has been handed to the kernel, or the connection has ended.
  func drained() async { await session.drained() }

  /// Why the peer may not call the method any more; nil while it may.
  var presentRefusal: RPCError? { session.refusal(ofMethodAt: method) }

  /// Says why, and closes.
  func endConnection(with error: RPCError) { session.end(with: error) }

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
