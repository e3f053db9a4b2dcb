import API
import Accounts
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveMergePlan() {
    serve(API.MergePlan.self) { call throws(RPCError) in
      let users = call.parameters.users
      guard users.count == 2 else { throw RPCError(.invalidParams) }
      let plan = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.planMerge.plan(
          (users[0], users[1]), survivor: call.parameters.survivor, mayRead: call.context.caller.accessGroups)
      }
      return .result(API.MergePlan.Result(plan))
    }
  }

  mutating func serveMergeRun() {
    serve(MergeRun.self) { call throws(RPCError) in
      guard let plan = MergePlanToken(call.parameters.planToken) else {
        throw RPCError(
          .invalidParams, "params.plan_token is no plan of merge.plan.",
          details: [.path("params.plan_token"), .problem(.format)])
      }
      let reason = try ChangeReason(call.parameters.reason, path: "params.reason")
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.mergeUsers.run(
          plan, reason: reason, call: call.change { MergeShape($0) })
      }
      return Reply(answer) { MergeShape($0) }
    }
  }

  mutating func serveMergeUndo() {
    serve(MergeUndo.self) { call throws(RPCError) in
      let reason = try ChangeReason(call.parameters.reason, path: "params.reason")
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.undoMerge.undo(
          call.parameters.mergeID, reason: reason, call: call.change { MergeShape($0) })
      }
      return Reply(answer) { MergeShape($0) }
    }
  }

  mutating func serveMergeGet() {
    serve(MergeGet.self) { call throws(RPCError) in
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.readMerges.get(
          call.parameters.mergeID, mayRead: call.context.caller.accessGroups)
      }
      var result = MergeGet.Result(
        merge: MergeShape(found.merge), identities: found.identities, formerIDs: found.formerUsers)
      result.emails = found.emails
      result.credentials = found.credentials.map { CredentialPlaceParameters($0) }
      result.registrations = found.registrations
      return .result(result)
    }
  }

  mutating func serveMergeList() {
    serve(MergeList.self) { call throws(RPCError) in
      let page = try PageRequest<ListMerges.Position>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.readMerges.list(of: call.parameters.userID, page: page)
      }
      return .result(ListResult(items: found.items.map { MergeShape($0) }, next: found.next))
    }
  }
}

extension MergeShape {
  init(_ record: MergeRecord) {
    self.init()
    mergeID = record.id
    survivor = record.survivor
    absorbed = record.absorbed
    state = record.undo == nil ? .done : .undone
    reason = record.reason
    by = record.by
    at = record.at
    moved = MergeCountsShape(record.moved)
    credentialsLeft = record.credentialsLeft == 0 ? nil : Int(record.credentialsLeft)
    undoneAt = record.undo?.at
    undoneBy = record.undo?.by
    undoReason = record.undo?.reason
  }
}

extension MergeCountsShape {
  fileprivate init(_ counts: MergeCounts) {
    self.init(
      identities: Int(counts.identities), emails: Int(counts.emails), credentials: Int(counts.credentials),
      registrations: Int(counts.registrations))
  }
}

extension API.MergePlan.Result {
  fileprivate init(_ plan: Operations.MergePlan) {
    self.init()
    planToken = plan.token.text
    expiresAt = plan.token.expiresAt
    survivor = plan.token.survivor
    absorbed = plan.token.absorbed
    moves.counts = MergeCountsShape(plan.counts)
    moves.identities = plan.identities.map { IdentityShape($0) }
    moves.emails = plan.emails.map { EmailShape($0) }
    moves.credentials = plan.credentials.map { CredentialPlaceParameters($0) }
    moves.registrations = plan.registrations
    conflicts = plan.conflicts.map { MergeConflictShape($0) }
    consumers = plan.consumers.map { ConsumerLagShape(caller: $0.caller, name: $0.name, behind: $0.behind) }
  }
}

extension CredentialPlaceParameters {
  fileprivate init(_ place: CredentialPlace) {
    self.init(
      place: CredentialPlaceMembers(
        accessGroup: place.accessGroup, account: place.account, service: place.service))
  }
}

extension MergeConflictShape {
  fileprivate init(_ conflict: MergeConflict) {
    switch conflict {
    case .profile(.name): self.init(.nameDiffers, "Both have a name; the survivor's stays.")
    case .profile(.nickname): self.init(.nicknameDiffers, "Both have a nickname; the survivor's stays.")
    case .profile(.picture): self.init(.pictureDiffers, "Both have a picture; the survivor's stays.")
    case .profile(.locale): self.init(.localeDiffers, "Both have a locale; the survivor's stays.")
    case .profile(.details): self.init(.detailsDiffer, "Both have details; the survivor's stay.")
    case .disabled(let user):
      self.init(.userDisabled, "One of the two is disabled, so the survivor will be.", userID: user)
    case .address(let canonical):
      self.init(
        .emailShared, "Both have this address; it is kept once, with all that vouches for it.", email: canonical)
    case .credential(let place):
      self.init(
        .credentialUnreadable, "This credential cannot be opened, so it stays with the absorbed user.",
        credential: CredentialPlaceParameters(place))
    }
  }
}
