import API
import Accounts
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveUserGet() {
    serve(UserGet.self) { call throws(RPCError) in
      let context = call.context
      guard let named = call.parameters.selector else { throw RPCError(.invalidParams) }
      let selector: FindUser.Selector =
        switch named {
        case .id(let id): .id(id)
        case .identity(let identity): .identity(try context.storedKey(identity))
        case .email(let email): .email(try EmailAddress(email, path: "params.email"))
        }
      let found = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.findUser.find(selector, include: call.parameters.include.parts)
      }
      return .result(UserGet.Result(user: UserShape(found.user), mergedFrom: found.requestedID))
    }
  }

  mutating func serveUserSearch() {
    serve(UserSearch.self) { call throws(RPCError) in
      let context = call.context
      let page = try PageRequest<UserID>(call.parameters.page)
      let found = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.searchUsers.search(
          call.parameters.query, status: call.parameters.status, page: page, include: call.parameters.include.parts)
      }
      return .result(ListResult(items: found.items.map { UserShape($0) }, next: found.next))
    }
  }

  mutating func serveUserUpdate() {
    serve(UserUpdate.self) { call throws(RPCError) in
      let context = call.context
      let request = UpdateUser.Request(
        user: call.parameters.id, profile: call.parameters.profile.map { Profile($0) } ?? Profile(),
        clear: Set((call.parameters.clear ?? []).map(\.part)), call: call.change { UserAnswer(user: UserShape($0)) })
      let answer = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.updateUser.update(request)
      }
      return Reply(answer) { UserAnswer(user: UserShape($0)) }
    }
  }

  mutating func serveUserDisable() {
    serve(UserDisable.self) { call throws(RPCError) in try await setStatus(.disabled, call) }
  }

  mutating func serveUserEnable() {
    serve(UserEnable.self) { call throws(RPCError) in try await setStatus(.active, call) }
  }

  mutating func serveUserExport() {
    serve(UserExport.self) { call throws(RPCError) in
      let context = call.context
      let export = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.exportUser.export(call.parameters.id)
      }
      let bytesMax = context.worker.settings.limits.answerBytesQueuedMax
      guard let result = export.map({ UserExport.Result(export: UserExportShape($0)) }),
        call.encode(result).count <= bytesMax
      else { throw .exportTooLarge(bytesMax: bytesMax) }
      return .result(result)
    }
  }

  mutating func serveUserErase() {
    serve(UserErase.self) { call throws(RPCError) in
      let request = EraseUser.Request(
        user: call.parameters.id, reason: try ChangeReason(call.parameters.reason, path: "params.reason"),
        call: call.change { UserErase.Result($0) })
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.eraseUser.erase(request)
      }
      return Reply(answer) { UserErase.Result($0) }
    }
  }
}

private func setStatus<M: Method>(
  _ target: SetUserStatus.Target, _ call: Invocation<M>
) async throws(RPCError) -> Reply<M> where M.Parameters == ReasonedUserParameters, M.Result == UserAnswer {
  let request = SetUserStatus.Request(
    user: call.parameters.id, target: target, reason: try ChangeReason(call.parameters.reason, path: "params.reason"),
    call: call.change { UserAnswer(user: UserShape($0)) })
  let answer = try await translating(call.context) { () throws(OperationError) in
    try await call.context.worker.operations.setUserStatus.set(request)
  }
  return Reply(answer) { UserAnswer(user: UserShape($0)) }
}

extension Invocation {
  /// Who asks for a change, and how its result is written for a repeat.
  func change<Outcome>(_ result: @escaping @Sendable (Outcome) -> M.Result) -> ChangeCall<Outcome> {
    ChangeCall(
      caller: context.caller.name, peerUID: context.access.peer.uid, requestKey: requestKey,
      encode: { self.encode(result($0)) })
  }
}

extension RPCError {
  fileprivate static func exportTooLarge(bytesMax: Int) -> RPCError {
    RPCError(
      .tooLarge, "What is held about the person does not fit into an answer.",
      hint: "Read it part by part, with user.get, identity.list, email.list, credential.list and merge.list.",
      details: [.limit(.answerBytesQueued, max: bytesMax)])
  }
}

extension UserExportShape {
  fileprivate init(_ export: ExportUser.Export) {
    self.init()
    user = UserShape(export.user)
    formerIDs = export.formerIDs
    disabledReason = export.disabledReason
    unlinked = RawJSON(export.unlinked)
    removedEmails = RawJSON(export.removedEmails)
    credentials = RawJSON(export.credentials)
    registrations = RawJSON(export.registrations)
    heldRegistrations = export.held.map { RegistrationShape($0) }
    history.updatedAt = export.history.updatedAt
    history.emailTokens = RawJSON(export.history.emailTokens)
    history.events = RawJSON(export.history.events)
    history.formerUsers = RawJSON(export.history.formerUsers)
    history.merges = RawJSON(export.history.merges)
    history.audit = RawJSON(export.history.audit)
    history.credentials = RawJSON(export.history.credentials)
  }
}

extension UserErase.Result {
  fileprivate init(_ erased: ErasedUser) {
    self.init(user: UserShape(erased.user, status: .erased, nil), formerIDs: erased.formerIDs)
  }
}

extension UserShape {
  init(_ record: UserRecord) {
    self.init(record.user, status: record.status, record.details)
  }
}

extension [Include]? {
  var parts: Set<UserPart> { Set((self ?? []).map(\.part)) }
}

extension ProfileMember {
  fileprivate var part: ProfilePart {
    switch self {
    case .name: .name
    case .nickname: .nickname
    case .picture: .picture
    case .locale: .locale
    case .details: .details
    }
  }
}
