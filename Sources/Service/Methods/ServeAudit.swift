import API
import Accounts
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveAuditList() {
    serve(AuditList.self) { call throws(RPCError) in
      let page = try PageRequest<ReadAudit.Position>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.inspectAudit.list(of: call.parameters.userID, page: page)
      }
      return .result(ListResult(items: found.items.map { AuditShape($0) }, next: found.next))
    }
  }

  mutating func serveAuditVerify() {
    serve(AuditVerify.self) { call throws(RPCError) in
      let after = try call.parameters.after.map { text throws(RPCError) in
        guard let position = VerifyAudit.Position(place: text) else {
          throw RPCError(
            .invalidParams, "The parameter after is not the next of an earlier part.",
            details: [.path("params.after"), .problem(.format)])
        }
        return position
      }
      let verdict = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.inspectAudit.verify(after: after, limit: call.parameters.limit)
      }
      return .result(
        AuditVerify.Result(
          ok: verdict.firstBad == nil, checked: verdict.checked, firstBad: verdict.firstBad, next: verdict.next?.place))
    }
  }
}

extension AuditShape {
  fileprivate init(_ record: ReadAudit.Record) {
    self.init(
      seq: Int(record.position.number), at: record.at, caller: record.caller, peerUID: record.peerUID.map { Int($0) },
      action: record.action, userID: record.user, reason: record.reason, data: RawJSON(record.data))
  }
}
