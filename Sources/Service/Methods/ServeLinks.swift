import API
import Accounts
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveLinkConfirm() {
    serve(LinkConfirm.self) { call throws(RPCError) in
      let context = call.context
      let defaults = context.worker.settings.defaults
      let namespaces = try context.namespacesByNumber()
      let confirmation = ChallengeConfirmation(
        challenge: call.parameters.challengeID, proof: try context.proof(call.parameters.proof),
        include: call.parameters.include.parts, challengeSeconds: defaults.challengeMinutes * 60,
        holdSeconds: defaults.holdDays * 86_400, caller: context.caller.name, requestKey: call.requestKey, asker: call
      ) { number in
        namespaces[number].map { SignInPolicy(register: .never, link: .confirm, trustsEmail: $0.settings.trustsEmail) }
      }
      let answer = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.resolveSignIn.confirm(confirmation)
      }
      return Reply(answer) { API.SignInResult($0) }
    }
  }

  mutating func serveIdentityLink() {
    serve(IdentityLink.self) { call throws(RPCError) in
      let context = call.context
      guard let claims = call.parameters.claims else { throw RPCError(.invalidParams) }
      guard context.caller.mayAssert else { throw .claimsAreNotTaken }
      let namespace = try context.namespace(provider: claims.provider, tenant: claims.tenant, in: "params.claims")
      let reason = try call.parameters.reason.map { text throws(RPCError) in
        try ChangeReason(text, path: "params.reason")
      }
      let defaults = context.worker.settings.defaults
      let request = SignInRequest(
        .link(to: call.parameters.userID, peerUID: context.access.peer.uid, reason: reason),
        claims: try Claims(claims, in: namespace.namespace, at: "params.claims"),
        policy: SignInPolicy(register: .never, link: .confirm, trustsEmail: namespace.settings.trustsEmail),
        challengeSeconds: defaults.challengeMinutes * 60, holdSeconds: defaults.holdDays * 86_400, include: [],
        caller: context.caller.name, requestKey: call.requestKey, asker: call)
      guard let number = namespace.number else { throw context.databaseIsMissing }
      let answer = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.resolveSignIn.link(request, namespace: number)
      }
      return Reply(answer) { IdentityLink.result(of: $0) }
    }
  }

  mutating func serveIdentityUnlink() {
    serve(IdentityUnlink.self) { call throws(RPCError) in
      let caller = call.context.caller
      let reason = try call.parameters.reason.map { text throws(RPCError) in
        try ChangeReason(text, path: "params.reason")
      }
      let request = UnlinkUserIdentity.Request(
        user: call.parameters.userID, identity: call.parameters.identityID, reason: reason,
        call: call.change { IdentityUnlink.Result() }
      ) { caller.allows(namespace: $0) }
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.unlinkIdentity.unlink(request)
      }
      return Reply(answer) { _ in IdentityUnlink.Result() }
    }
  }
}

extension IdentityLink: SignInMethod {
  static func result(of signIn: Operations.SignInResult) -> IdentityAnswer {
    // Linking comes to the user's identity or to a refusal, and to nothing else.
    guard case .user(_, _, let identity?, _, _) = signIn else { return IdentityAnswer() }
    return IdentityAnswer(identity: IdentityShape(identity))
  }
}

extension CallContext {
  /// - Throws: `link_forbidden` for what the caller may not say; it is not counted as a wrong proof.
  fileprivate func proof(_ shape: ProofShape) throws(RPCError) -> ChallengeProof {
    switch shape.kind {
    case nil: throw RPCError(.invalidParams)
    case .authenticated(let user):
      guard caller.mayAuthenticate else {
        throw RPCError(
          .linkForbidden, "The caller may not say that a user is signed in.",
          hint: "may_authenticate of its entry in callers allows it.")
      }
      return .word(user)
    case .claims(let claims):
      guard caller.mayAssert else { throw .claimsAreNotTaken }
      let path = "params.proof.claims"
      let namespace = try namespace(provider: claims.provider, tenant: claims.tenant, in: path)
      let identity = try Claims(claims, in: namespace.namespace, at: path).identity
      guard let number = namespace.number else { throw databaseIsMissing }
      return .identity(StoredKey(namespace: number, subject: identity.subject))
    }
  }
}

extension RPCError {
  fileprivate static let claimsAreNotTaken = RPCError(
    .linkForbidden, "The caller may not say who somebody is.", hint: "may_assert of its entry in callers allows it.")
}
