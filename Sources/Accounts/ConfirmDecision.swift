/// What the answer to a challenge comes to.
public enum ConfirmDecision: Hashable, Sendable {
  /// Whom a proof shows somebody to be.
  public enum Proof: Hashable, Sendable {
    /// The user of an identity that signed in; nil if it has none.
    case identity(UserID?)
    /// Nobody: the identity is the very one that the challenge is about.
    case challengedIdentity
    /// The user whom the caller has signed in.
    case word(UserID)

    var user: UserID? {
      switch self {
      case .identity(let user): user
      case .challengedIdentity: nil
      case .word(let user): user
      }
    }

    /// What is wrong with it when its user is no candidate.
    var wrong: WrongProof {
      switch self {
      case .identity(nil): .identityOfNobody
      case .identity: .identityOfOther
      case .challengedIdentity: .challengedIdentity
      case .word: .otherUser
      }
    }
  }

  /// The proof is right, so the challenge is used; what that makes of the identity.
  case accepted(SignInDecision)
  /// The proof is wrong, and counted; at ``ChallengeFacts/wrongProofsMax`` the challenge is used up.
  case rejected(WrongProof, wrongProofs: Int)

  /// - Parameters:
  ///   - candidates: the challenge's candidates as they are now; others among them do not matter.
  ///   - claims: what is known of the identity that the challenge is about.
  /// - Throws: what ``ChallengeFacts/checkOpen(for:at:)`` throws; ``Refusal/challengeMismatch`` where no candidate is as they
  ///   were, ``Refusal/userDisabled``, or ``Refusal/identityLinkedElsewhere``.
  public init(
    _ challenge: ChallengeFacts, proof: Proof, candidates: [LinkTarget], of claims: Claims, facts: SignInFacts,
    policy: SignInPolicy, caller: CallerName, at now: Timestamp
  ) throws(Refusal) {
    try challenge.checkOpen(for: caller, at: now)
    let same = challenge.candidates.compactMap { made in
      candidates.first { $0.user == made.user && $0.epoch == made.epoch && $0.status == .active }
    }
    guard !same.isEmpty else {
      let asked = Set(challenge.candidates.map(\.user))
      throw candidates.contains { asked.contains($0.user) && $0.status == .disabled }
        ? .userDisabled : .challengeMismatch
    }
    if let known = facts.identity, !same.contains(where: { $0.user == known.user }) { throw .identityLinkedElsewhere }
    guard let target = same.first(where: { $0.user == proof.user }) else {
      self = .rejected(proof.wrong, wrongProofs: challenge.wrongProofs + 1)
      return
    }
    self = .accepted(
      try SignInDecision(linking: claims, to: target, by: .confirmation, facts: facts, policy: policy))
  }
}
