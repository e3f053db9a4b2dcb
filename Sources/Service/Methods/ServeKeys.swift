import API
import Accounts
import JSONRPC
import Operations
import Store
import Vault

extension MethodTable {
  mutating func serveKeyStatus() {
    serve(KeyStatus.self) { call throws(RPCError) in
      let usage = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.keyUsage.tell()
      }
      return .result(KeyStatus.Result(primary: usage.primary.text, keys: usage.keys.map { KeyShape($0) }))
    }
  }

  mutating func serveKeyRewrap() {
    serve(KeyRewrap.self) { call throws(RPCError) in
      let page = try PageRequest<SealedPlace>(
        Page(limit: call.parameters.effectiveLimit, after: call.parameters.after))
      let done = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.rewrapRecords.run(page)
      }
      for failure in done.failures {
        call.context.worker.journal.write(
          .error, failure.error.journalText(of: "\(failure.place)"), requestID: call.context.requestID)
      }
      return .result(
        KeyRewrap.Result(
          rewrapped: done.rewrapped, failed: done.failures.count, remaining: done.remaining, next: done.next?.place))
    }
  }
}

extension KeyShape {
  fileprivate init(_ key: KeyUsage.Key) {
    self.init()
    id = key.id
    switch key.state {
    case .listed(.primary): state = .primary
    case .listed(.decryptOnly): state = .decryptOnly
    case .listed(.retired): state = .retired
    case .unknown: state = .unknown
    }
    registrations = key.records[.registration] ?? 0
    credentials = key.records[.credential] ?? 0
    keptAnswers = key.records[.keptAnswer] ?? 0
    records = registrations + credentials + keptAnswers
  }
}
