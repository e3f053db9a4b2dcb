import API
import Accounts
import Crypto
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveCredentialGet() {
    serve(
      CredentialGet.self,
      starting: { call in
        do throws(RPCError) {
          let place = try call.context.place(call.parameters.place)
          call.context.worker.operations.getCredential.get(place) { outcome in
            switch outcome {
            case .success(let found):
              let secret = found.secret.withUnsafeBytes { SecretValue(copying: $0) }
              call.answer(CredentialAnswer(credential: CredentialShape(found.credential, secret: secret)))
            case .failure(let error): call.refuse(RPCError(error, for: call.context))
            }
          }
        } catch {
          call.refuse(error)
        }
      })
  }

  mutating func serveCredentialAdd() {
    serve(CredentialAdd.self) { call throws(RPCError) in
      try await change(call, at: call.parameters.place, .add(CredentialContent(call.parameters)))
    }
  }

  mutating func serveCredentialPut() {
    serve(CredentialPut.self) { call throws(RPCError) in
      try await change(call, at: call.parameters.place, .put(CredentialContent(call.parameters)))
    }
  }

  mutating func serveCredentialUpdate() {
    serve(CredentialUpdate.self) { call throws(RPCError) in
      let content = CredentialContent(call.parameters.content, secret: call.parameters.secret)
      let clearing = Set((call.parameters.clear ?? []).map(\.part))
      return try await change(call, at: call.parameters.place, .update(content, clearing: clearing))
    }
  }

  mutating func serveCredentialDelete() {
    serve(CredentialDelete.self) { call throws(RPCError) in
      let place = try call.context.place(call.parameters.place)
      let reason = try call.parameters.reason.map { text throws(RPCError) in
        try ChangeReason(text, path: "params.reason")
      }
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeCredential.delete(
          place, reason: reason, call: call.change { CredentialDelete.Result() })
      }
      return Reply(answer) { CredentialDelete.Result() }
    }
  }

  mutating func serveCredentialList() {
    serve(CredentialList.self) { call throws(RPCError) in
      let parameters = call.parameters
      let page = try PageRequest<CredentialPlace>(parameters.page)
      let filter = ListCredentials.Filter(
        accessGroup: parameters.accessGroup, account: parameters.account, service: parameters.service,
        user: parameters.userID)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.listCredentials.list(
          filter, in: call.context.caller.accessGroups, page: page)
      }
      return .result(ListResult(items: found.items.map { CredentialShape($0) }, next: found.next))
    }
  }

  mutating func serveCredentialHistory() {
    serve(CredentialHistory.self) { call throws(RPCError) in
      let place = try call.context.place(call.parameters.place)
      let page = try PageRequest<CredentialVersions.Position>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.listCredentials.history(of: place, page: page)
      }
      return .result(ListResult(items: found.items.map { CredentialVersionShape($0) }, next: found.next))
    }
  }
}

private func change<M: Method>(
  _ call: Invocation<M>, at place: CredentialPlaceMembers, _ change: ChangeCredential.Change
) async throws(RPCError) -> Reply<M> where M.Result == CredentialAnswer {
  let place = try call.context.place(place)
  let answer = try await translating(call.context) { () throws(OperationError) in
    try await call.context.worker.operations.changeCredential.change(
      place, change, call: call.change { CredentialAnswer(credential: CredentialShape($0)) })
  }
  return Reply(answer) { CredentialAnswer(credential: CredentialShape($0)) }
}

extension CallContext {
  /// The place that parameters name. One in a group that is not the caller's is as if nothing could be there.
  fileprivate func place(_ members: CredentialPlaceMembers) throws(RPCError) -> CredentialPlace {
    guard caller.allows(accessGroup: members.accessGroup) else { throw RPCError(.notFound) }
    return CredentialPlace(accessGroup: members.accessGroup, account: members.account, service: members.service)
  }
}

extension CredentialContent {
  fileprivate init(_ parameters: WholeCredentialParameters) {
    self.init(parameters.content, secret: parameters.secret)
  }

  fileprivate init(_ members: CredentialContentMembers, secret: SecretValue?) {
    self.init(
      secret: secret.map { $0.withUnsafeBytes { SecretBytes(copying: $0) } }, label: members.label,
      user: members.userID,
      expiresAt: members.expiresAt, attributes: members.attributes?.text)
  }
}

extension CredentialShape {
  fileprivate init(_ record: CredentialRecord, secret: SecretValue? = nil) {
    self.init(
      place: CredentialPlaceMembers(
        accessGroup: record.place.accessGroup, account: record.place.account, service: record.place.service),
      content: CredentialContentMembers(
        label: record.label, userID: record.user, expiresAt: record.expiresAt,
        attributes: record.attributes.map { RawJSON($0) }),
      version: Int(record.version), createdAt: record.createdAt, updatedAt: record.updatedAt, secret: secret)
  }
}

extension CredentialVersionShape {
  fileprivate init(_ record: CredentialVersions.Record) {
    self.init(
      credentialID: record.credential, version: Int(record.version), action: record.action,
      at: record.at, caller: record.caller)
  }
}

extension CredentialMember {
  fileprivate var part: CredentialPart {
    switch self {
    case .label: .label
    case .userID: .user
    case .expiresAt: .expiresAt
    case .attributes: .attributes
    }
  }
}
