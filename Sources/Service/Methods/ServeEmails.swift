import API
import Accounts
import Crypto
import JSONRPC
import Operations

extension MethodTable {
  mutating func serveEmailList() {
    serve(EmailList.self) { call throws(RPCError) in
      let page = try PageRequest<EmailAddress>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.listUserEmails.list(of: call.parameters.userID, page: page)
      }
      return .result(ListResult(items: found.items.map { EmailShape($0) }, next: found.next))
    }
  }

  mutating func serveEmailAdd() {
    serve(EmailAdd.self) { call throws(RPCError) in
      let place = try ChangeUserEmails.Place(call.parameters.place)
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeEmails.add(
          place, call: call.change { EmailAdd.Result($0) })
      }
      return Reply(answer) { EmailAdd.Result($0) }
    }
  }

  mutating func serveEmailVerify() {
    serve(EmailVerify.self) { call throws(RPCError) in
      let place = try ChangeUserEmails.Place(call.parameters.place)
      let token = call.parameters.token.withUnsafeBytes { SecretBytes(copying: $0) }
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeEmails.verify(
          place, token: token, call: call.change { EmailVerify.Result(email: EmailShape($0)) })
      }
      return Reply(answer) { EmailVerify.Result(email: EmailShape($0)) }
    }
  }

  mutating func serveEmailRemove() {
    serve(EmailRemove.self) { call throws(RPCError) in
      let place = try ChangeUserEmails.Place(call.parameters.place)
      let reason = try call.parameters.reason.map { text throws(RPCError) in
        try ChangeReason(text, path: "params.reason")
      }
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeEmails.remove(
          place, reason: reason, call: call.change { EmailRemove.Result() })
      }
      return Reply(answer) { _ in EmailRemove.Result() }
    }
  }
}

extension ChangeUserEmails.Place {
  fileprivate init(_ members: EmailPlaceMembers) throws(RPCError) {
    self.init(user: members.userID, email: try EmailAddress(members.email, path: "params.email"))
  }
}

extension EmailAdd.Result {
  fileprivate init(_ added: ChangeUserEmails.Added) {
    self.init(
      email: EmailShape(added.email), token: added.token.withUnsafeBytes { SecretText(copying: $0) },
      expiresAt: added.expiresAt)
  }
}
