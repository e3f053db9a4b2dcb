import API
import Accounts
import JSONRPC
import Operations

extension MethodTable {
  mutating func serveDuplicateList() {
    serve(DuplicateList.self) { call throws(RPCError) in
      let page = try PageRequest<ListDuplicates.Position>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.listDuplicates.list(
          page: page, scoreMin: call.parameters.minScore?.hundredths ?? 0, include: call.parameters.include.parts)
      }
      return .result(
        DuplicateList.Result(
          items: found.pairs.map { DuplicateShape($0) }, next: found.next, scanned: found.scanned, total: found.total,
          crowded: found.crowded))
    }
  }
}

extension DuplicateShape {
  fileprivate init(_ pair: ListDuplicates.Pair) {
    self.init(
      users: [UserShape(pair.first), UserShape(pair.second)], score: Score(hundredths: pair.reasons.score),
      reasons: pair.reasons.map { DuplicateReasonShape($0) })
  }
}

extension DuplicateReasonShape {
  fileprivate init(_ reason: DuplicateReason) {
    switch reason {
    case .sameAddress: self.init(.sameAddress, "Both hold or claim one e-mail address.")
    case .sameMailbox: self.init(.sameMailbox, "E-mail addresses of the two lead to one mailbox.")
    case .relayAndRealAddress:
      self.init(.relayAndRealAddress, "They have one name, and one of them hides the address that the other shows.")
    case .sameNameAndBirthday(isYearKnown: true):
      self.init(.sameNameAndBirthday, "They have one name, and were born on one day.")
    case .sameNameAndBirthday(isYearKnown: false):
      self.init(.sameNameAndBirthday, "They have one name and one birthday; the year is not known of both.")
    case .sameNameTransliterated:
      self.init(.sameNameTransliterated, "One has the name in Hangul, the other the same in Latin letters.")
    }
  }
}
