import API
import Accounts
import Operations

extension API.SignInResult {
  /// A sign-in's outcome as it is told.
  init(_ result: Operations.SignInResult) {
    switch result {
    case .user(let outcome, let user, let identity, let details, let isResumed):
      self.init(
        outcome: outcome.word, matchedBy: outcome.matchedBy, user: UserShape(user, status: .active, details),
        identity: identity.map { IdentityShape($0) }, resumed: isResumed ? true : nil)
    case .held(let held, let isResumed):
      self.init(
        outcome: .registrationHeld, registration: RegistrationShape(held), resumed: isResumed ? true : nil)
    case .linkRequired(let challenge, let isResumed):
      self.init(
        outcome: .linkRequired, challenge: ChallengeShape(challenge), resumed: isResumed ? true : nil)
    case .notFound:
      self.init(outcome: .notFound)
    }
  }
}

extension Operations.SignInResult.Outcome {
  fileprivate var word: SignInOutcome {
    switch self {
    case .signedIn: .signedIn
    case .linked: .linked
    case .registered: .registered
    }
  }

  fileprivate var matchedBy: MatchedBy? {
    switch self {
    case .signedIn: .identity
    case .linked: .email
    case .registered: nil
    }
  }
}

extension ChallengeShape {
  fileprivate init(_ challenge: Challenge) {
    self.init(
      id: challenge.id, expiresAt: challenge.expiresAt,
      candidates: challenge.candidates.map { candidate in
        CandidateShape(userID: candidate.user, providers: candidate.providers.map { ExactText($0.rawValue) })
      })
  }
}
