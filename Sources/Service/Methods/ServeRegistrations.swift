import API
import Accounts
import JSONRPC
import Operations
import Store
import Vault

extension MethodTable {
  mutating func serveRegistrationComplete() {
    serve(RegistrationComplete.self) { call throws(RPCError) in
      let context = call.context
      let defaults = context.worker.settings.defaults
      let namespaces = try context.namespacesByNumber()
      let completion = RegistrationCompletion(
        registration: call.parameters.registrationID, profile: call.parameters.profile.map { Profile($0) } ?? Profile(),
        include: call.parameters.include.parts, challengeSeconds: defaults.challengeMinutes * 60,
        holdSeconds: defaults.holdDays * 86_400, caller: context.caller.name, requestKey: call.requestKey, asker: call
      ) { number, link in
        namespaces[number].map { SignInPolicy(register: .auto, link: link, trustsEmail: $0.settings.trustsEmail) }
      }
      let answer = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.resolveSignIn.complete(completion)
      }
      return Reply(answer) { API.SignInResult($0) }
    }
  }

  mutating func serveRegistrationGet() {
    serve(RegistrationGet.self) { call throws(RPCError) in
      let namespaces = try call.context.namespacesByNumber()
      let held = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.readRegistrations.get(call.parameters.registrationID) {
          namespaces[$0] != nil
        }
      }
      return .result(RegistrationGet.Result(registration: RegistrationShape(held)))
    }
  }

  mutating func serveRegistrationList() {
    serve(RegistrationList.self) { call throws(RPCError) in
      let namespaces = try call.context.namespacesByNumber()
      let page = try PageRequest<RegistrationID>(call.parameters.page)
      let email = try call.parameters.email.map { text throws(RPCError) in
        try EmailAddress(text, path: "params.email")
      }
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.readRegistrations.list(
          in: Array(namespaces.keys), email: email, page: page)
      }
      for registration in found.misplaced { call.context.tellMisplaced(registration) }
      return .result(ListResult(items: found.page.items.map { call.context.shape(of: $0) }, next: found.page.next))
    }
  }

  mutating func serveRegistrationFail() {
    serve(RegistrationFail.self) { call throws(RPCError) in
      let namespaces = try call.context.namespacesByNumber()
      let reason = try ChangeReason(call.parameters.reason, path: "params.reason")
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeRegistrations.fail(
          call.parameters.registrationID, reason: reason, call: call.change { RegistrationFail.Result(attempts: $0) }
        ) { namespaces[$0] != nil }
      }
      return Reply(answer) { RegistrationFail.Result(attempts: $0) }
    }
  }

  mutating func serveRegistrationDiscard() {
    serve(RegistrationDiscard.self) { call throws(RPCError) in
      let namespaces = try call.context.namespacesByNumber()
      let reason = try call.parameters.reason.map { text throws(RPCError) in
        try ChangeReason(text, path: "params.reason")
      }
      let answer = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.changeRegistrations.discard(
          call.parameters.registrationID, reason: reason, call: call.change { RegistrationDiscard.Result() }
        ) { namespaces[$0] != nil }
      }
      return Reply(answer) { _ in RegistrationDiscard.Result() }
    }
  }
}

extension ChangeReason {
  /// Reads a reason that came as a parameter.
  init(_ text: ExactText, path: String) throws(RPCError) {
    guard let reason = ChangeReason(text) else {
      throw RPCError(
        .invalidParams, "\(path) must have a character that can be seen.", details: [.path(path), .problem(.format)])
    }
    self = reason
  }
}

extension CallContext {
  /// The namespaces that the caller may use, by the numbers under which they are stored.
  func namespacesByNumber() throws(RPCError) -> [Int32: ServedNamespace] {
    guard let numbered = access.namespaces.numbered else { throw databaseIsMissing }
    return numbered
  }

  fileprivate func tellMisplaced(_ registration: RegistrationID) {
    let record = "what registration \(registration) is found by"
    worker.journal.write(.error, SealingError.invalid.journalText(of: record), requestID: requestID)
  }

  fileprivate func shape(of item: ReadRegistrations.Item) -> RegistrationShape {
    switch item.details {
    case .success(let held): return RegistrationShape(held)
    case .failure(let error):
      let record = "registration \(item.stored.registration)"
      worker.journal.write(.error, error.journalText(of: record), requestID: requestID)
      return RegistrationShape(unreadable: item.stored)
    }
  }
}

extension RegistrationShape {
  init(_ held: HeldRegistration) {
    let identity = held.claims.identity
    self.init(
      id: held.registration, provider: ExactText(identity.namespace.provider.rawValue),
      tenant: identity.namespace.tenant, subject: identity.subject.text, details: ClaimsShape(held.claims),
      attempts: held.attempts, lastReason: held.lastReason, heldAt: held.heldAt, expiresAt: held.expiresAt)
  }

  init(unreadable stored: StoredRegistration) {
    self.init(
      id: stored.registration, provider: ExactText(stored.identity.namespace.provider.rawValue),
      tenant: stored.identity.namespace.tenant, subject: stored.identity.subject.text, details: nil,
      attempts: stored.attempts, lastReason: stored.lastReason, heldAt: stored.heldAt, expiresAt: stored.expiresAt)
  }
}

extension ClaimsShape {
  fileprivate init(_ claims: Claims) {
    self.init(
      provider: ExactText(claims.identity.namespace.provider.rawValue), tenant: claims.identity.namespace.tenant,
      subject: claims.identity.subject.text, email: claims.email.map { ExactText($0.address.asGiven) },
      emailVerified: claims.email?.isVerified, isPrivateEmail: claims.email?.isPrivate,
      profile: ProfileShape(claims.profile))
  }
}
