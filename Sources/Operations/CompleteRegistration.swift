import Accounts
import Postgres
import Store

/// Makes a user of somebody whose details are held.
public struct RegistrationCompletion: Sendable {
  public let registration: RegistrationID
  /// What the app knows better than the provider; it goes before the held details.
  public let profile: Profile
  public let include: Set<UserPart>
  /// How far the person may be linked, from the number of a namespace and the choice of their last sign-in; nil where the
  /// caller has no business.
  public let policy: @Sendable (Int32, SignInPolicy.Link) -> SignInPolicy?
  public let challengeSeconds: Double
  public let holdSeconds: Double
  public let caller: CallerName
  public let requestKey: RequestKey?
  public let asker: any SignInAsker

  public init(
    registration: RegistrationID, profile: Profile, include: Set<UserPart>, challengeSeconds: Double,
    holdSeconds: Double, caller: CallerName, requestKey: RequestKey?, asker: any SignInAsker,
    policy: @escaping @Sendable (Int32, SignInPolicy.Link) -> SignInPolicy?
  ) {
    self.registration = registration
    self.profile = profile
    self.include = include
    self.policy = policy
    self.challengeSeconds = challengeSeconds
    self.holdSeconds = holdSeconds
    self.caller = caller
    self.requestKey = requestKey
    self.asker = asker
  }
}

extension ResolveSignIn {
  /// Decides as for a sign-in, with the held details. One that is completed already answers with whom it became.
  ///
  /// - Throws: `not_found`, `user_disabled`, `request_key_reused`, or `in_progress`.
  public func complete(_ call: RegistrationCompletion) async throws(OperationError) -> Answer<SignInResult> {
    while true {
      if let kept = try await keptAnswer(to: call.requestKey) { return kept }
      let stored = try await OperationError.translating { () throws(PostgresError) in
        try await reads.rows(FindRegistrations.byID, call.registration).first
      }.orNotFound()
      guard !stored.isExpired(at: circumstances.now()) else { throw .refused(.notFound) }
      let policy = try call.policy(stored.namespace, stored.link).orNotFound()
      guard let held = try stored.held(by: sealer) else {
        // The same call may have completed it since its answer was looked for; then that is there now.
        if let kept = try await keptAnswer(to: call.requestKey) { return kept }
        return .new(try await whoItBecame(stored, call.include))
      }
      try await waitForDelivery(of: held.claims.identity)
      let request = SignInRequest(
        claims: Claims(identity: held.claims.identity, profile: call.profile), policy: policy,
        challengeSeconds: call.challengeSeconds, holdSeconds: call.holdSeconds, include: call.include,
        caller: call.caller, requestKey: call.requestKey, asker: call.asker)
      let claims = Claims(
        identity: held.claims.identity, email: held.claims.email,
        profile: call.profile.filled(from: held.claims.profile))
      switch await writer.write(request, key: stored.key, claims: claims, resuming: held, isSpooled: false) {
      case .answered(let answer): return answer
      case .failed(let error): throw error
      case .overtaken: continue
      }
    }
  }

  private func whoItBecame(
    _ stored: StoredRegistration, _ include: Set<UserPart>
  ) async throws(OperationError) -> SignInResult {
    let user = try stored.user.orNotFound()
    let reading: UserReading<(UserDetails.Plan, Pipeline.Slot<IdentityRecord>)>
    do throws(OperationError) {
      reading = try await UserReading.read(user, from: reads) { user, pipeline in
        (UserDetails.Plan(include, of: user, in: &pipeline), pipeline.add(GetIdentity.byKey, stored.key))
      }
    } catch .refused(.userErased) {
      // The registration went with them since it was looked for.
      throw .refused(.notFound)
    }
    try OperationError.translating { () throws(Refusal) in try reading.user.status.checkActive() }
    return try await OperationError.translating { () throws(PostgresError) in
      let details = include.isEmpty ? nil : try reading.plan.0.details(from: reading.results)
      let identity = try reading.results.first(of: reading.plan.1).flatMap {
        $0.user == reading.user.user ? $0 : nil
      }
      return .user(
        SignInResult.Outcome(identity?.linkedBy), reading.user.user, identity: identity, details: details,
        isResumed: true)
    }
  }
}

extension SignInResult.Outcome {
  /// What was answered when the identity came to its user.
  fileprivate init(_ linkedBy: LinkedBy?) {
    switch linkedBy {
    case .registration: self = .registered
    case .verifiedEmail: self = .linked
    case nil, .confirmation, .link, .merge, .dataImport: self = .signedIn
    }
  }
}
