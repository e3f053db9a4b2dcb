/// What a sign-in comes to: which of our users this is, and what has to be recorded for it.
public enum SignInDecision: Hashable, Sendable {
  /// The identity is known. Without a change nothing is written.
  case signIn(UserID, identity: IdentityID, changes: EmailChange?)

  /// The identity is attached to the user; `filled` is their profile with its gaps filled, nil when it had none to fill.
  case link(to: UserID, by: LinkedBy, filled: Profile?)

  case register(Profile, email: RegisteredEmail)

  /// The person is not a user before the app says so; until then what is known of them is kept.
  case hold

  /// The person may be one of these users, and has to prove it.
  case challenge(candidates: [ChallengeCandidate])

  case notFound

  /// Decides, in the order in which the first rule that applies wins.
  ///
  /// - Throws: ``Refusal/userDisabled`` when the user whom this would be, or the holder of the address, is disabled.
  public init(_ claims: Claims, facts: SignInFacts, policy: SignInPolicy) throws(Refusal) {
    if let known = facts.identity {
      let change = try known.change(by: claims, holder: facts.holder, policy: policy)
      self = .signIn(known.user, identity: known.identity, changes: change)
      return
    }
    guard let email = claims.email, let holder = facts.holder, policy.link != .never else {
      self = Self.ofNobody(claims, isHeld: facts.holder != nil, policy: policy)
      return
    }
    try holder.status.checkActive()
    guard policy.vouches(for: email), !facts.wasUnlinkedFromHolder else {
      self = .challenge(candidates: [ChallengeCandidate(holder)])
      return
    }
    let filled = holder.profile.filled(from: claims.profile)
    self = .link(to: holder.user, by: .verifiedEmail, filled: filled == holder.profile ? nil : filled)
  }

  /// For an identity that is nobody's and is not to become one of an existing user.
  private static func ofNobody(_ claims: Claims, isHeld: Bool, policy: SignInPolicy) -> SignInDecision {
    switch policy.register {
    case .never: return .notFound
    case .hold: return .hold
    case .auto: break
    }
    guard let email = claims.email else { return .register(claims.profile, email: .none) }
    let isProven = policy.vouches(for: email) && !isHeld
    return .register(claims.profile, email: isProven ? .verified(email) : .claimed(email))
  }
}
