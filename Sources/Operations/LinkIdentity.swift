import Accounts
import Postgres
import Store

/// The answer to a challenge: somebody is to be shown to be the user of whom it asked.
public struct ChallengeConfirmation: Sendable {
  public let challenge: ChallengeID
  public let proof: ChallengeProof
  public let include: Set<UserPart>
  /// What counts in the namespace of a number; nil where the caller has no business.
  public let policy: @Sendable (Int32) -> SignInPolicy?
  public let challengeSeconds: Double
  public let holdSeconds: Double
  public let caller: CallerName
  public let requestKey: RequestKey?
  public let asker: any SignInAsker

  public init(
    challenge: ChallengeID, proof: ChallengeProof, include: Set<UserPart>, challengeSeconds: Double,
    holdSeconds: Double, caller: CallerName, requestKey: RequestKey?, asker: any SignInAsker,
    policy: @escaping @Sendable (Int32) -> SignInPolicy?
  ) {
    self.challenge = challenge
    self.proof = proof
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
  /// Attaches an identity to a user who is signed in, with what is held of it. One that is theirs already stays as it is.
  ///
  /// - Parameters:
  ///   - request: one with the purpose to link.
  ///   - namespace: the number of the claims' namespace.
  /// - Throws: `.linkedElsewhere`, `not_found`, `user_erased`, `user_disabled`, `request_key_reused`, or `in_progress`.
  public func link(_ request: SignInRequest, namespace: Int32) async throws(OperationError) -> Answer<SignInResult> {
    let key = StoredKey(namespace: namespace, subject: request.claims.identity.subject)
    var held: HeldRegistration?
    while true {
      if let kept = try await keptAnswer(to: request.requestKey) { return kept }
      try await waitForDelivery(of: request.claims.identity)
      let claims = held?.resumed(by: request.claims) ?? request.claims
      switch await writer.write(request, key: key, claims: claims, resuming: held, isSpooled: false) {
      case .answered(let answer): return answer
      case .failed(let error): throw error
      case .overtaken: held = try await heldRegistration(of: key)
      }
    }
  }

  /// Attaches the identity of a challenge to the user who is proved to be its candidate, with what is held of it.
  ///
  /// - Throws: `not_found`, `challenge_mismatch`, `challenge_used`, `challenge_expired`, `proof_rejected`, which is counted,
  ///   `.linkedElsewhere`, `user_disabled`, `request_key_reused`, or `in_progress`.
  public func confirm(_ call: ChallengeConfirmation) async throws(OperationError) -> Answer<SignInResult> {
    while true {
      let found = try await OperationError.translating { () throws(PostgresError) in
        try await reads.rows(FindChallenges.byID, call.challenge).first
      }
      // Looked for after the challenge: whoever used it may have been the first call under this very key.
      if let kept = try await keptAnswer(to: call.requestKey) { return kept }
      let challenge = try found.orNotFound()
      try OperationError.translating { () throws(Refusal) in
        try challenge.facts.checkOpen(for: call.caller, at: circumstances.now())
      }
      let policy = try call.policy(challenge.namespace).orNotFound()
      try await waitForDelivery(of: challenge.identity)
      let held = try await heldRegistration(of: challenge.key)
      let claims = Claims(identity: challenge.identity)
      let request = SignInRequest(
        .confirm(challenge.challenge, candidates: challenge.facts.candidates.map(\.user), call.proof),
        claims: claims, policy: policy, challengeSeconds: call.challengeSeconds, holdSeconds: call.holdSeconds,
        include: call.include, caller: call.caller, requestKey: call.requestKey, asker: call.asker)
      switch await writer.write(
        request, key: challenge.key, claims: held?.claims ?? claims, resuming: held, isSpooled: false)
      {
      case .answered(let answer):
        if case .new(.user(.signedIn, _, let identity?, _, _)) = answer { note(identity.identity) }
        return answer
      case .failed(let error): throw error
      case .overtaken: continue
      }
    }
  }
}
