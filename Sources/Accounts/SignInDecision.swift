/// What a sign-in comes to: which of our users this is, and what has to be recorded for it.
public enum SignInDecision: Hashable, Sendable {
  /// The identity is known. Without a change nothing is written.
  case signIn(UserID, identity: IdentityID, changes: EmailChange?)

  /// The identity is attached to the user; `filled` is their profile with its gaps filled, nil when it had none to fill.
  case link(to: UserID, by: LinkedBy, filled: Profile?, email: RegisteredEmail)

  case register(Profile, email: RegisteredEmail)

  /// The person is not a user before the app says so; until then what is known of them is kept.
  case hold

  /// The person may be one of these users, and has to prove it.
  case challenge(candidates: [ChallengeCandidate])

  case notFound

  /// Decides, in the order in which the first rule that applies wins.
  ///
  /// An identity that was taken off a user and leads to nobody else is asked whether it is theirs: it neither comes back by
  /// itself nor becomes another user unseen.
  ///
  /// - Throws: ``Refusal/userDisabled`` when the user whom this would be, or the holder of the address, is disabled.
  public init(_ claims: Claims, facts: SignInFacts, policy: SignInPolicy) throws(Refusal) {
    if let known = facts.identity {
      let change = try known.change(by: claims, facts: facts, policy: policy)
      self = .signIn(known.user, identity: known.identity, changes: change)
      return
    }
    guard let email = claims.email, let holder = facts.holder, policy.link != .never else {
      if let former = facts.unlinkedFrom, policy.link != .never {
        try former.status.checkActive()
        self = .challenge(candidates: [ChallengeCandidate(former)])
        return
      }
      self = Self.ofNobody(claims, isHeld: facts.holder != nil, policy: policy)
      return
    }
    try holder.status.checkActive()
    guard policy.attaches(by: email), !facts.wasUnlinkedFromHolder else {
      self = .challenge(candidates: [ChallengeCandidate(holder)])
      return
    }
    self = .link(
      to: holder.user, by: .verifiedEmail, filled: holder.profile.gapsFilled(from: claims.profile),
      email: .supported(email))
  }

  /// Decides about an identity that is to be attached to a user on somebody's word.
  ///
  /// What the claims say of an address counts as at a sign-in: it becomes the user's verified one only if the provider
  /// vouches for it and nobody else holds it.
  ///
  /// - Throws: ``Refusal/userDisabled``, or ``Refusal/identityLinkedElsewhere``. An identity that is the user's already is
  ///   signed in, and nothing about it is changed.
  public init(
    linking claims: Claims, to target: LinkTarget, by linkedBy: LinkedBy, facts: SignInFacts, policy: SignInPolicy
  ) throws(Refusal) {
    try target.status.checkActive()
    if let known = facts.identity {
      guard known.user == target.user else { throw .identityLinkedElsewhere }
      self = .signIn(known.user, identity: known.identity, changes: nil)
      return
    }
    self = .link(
      to: target.user, by: linkedBy, filled: target.profile.gapsFilled(from: claims.profile),
      email: RegisteredEmail(claims.email, of: target.user, facts: facts, policy: policy))
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

extension RegisteredEmail {
  fileprivate init(_ email: ReportedEmail?, of user: UserID, facts: SignInFacts, policy: SignInPolicy) {
    guard let email, !facts.isAddressRemoved else {
      self = .none
      return
    }
    switch (policy.vouches(for: email), facts.holder?.user) {
    case (true, nil): self = .verified(email)
    case (true, user): self = .supported(email)
    case (true, _), (false, _): self = .claimed(email)
    }
  }
}

extension Profile {
  /// Nil when there was nothing to fill.
  fileprivate func gapsFilled(from other: Profile) -> Profile? {
    let filled = filled(from: other)
    return filled == self ? nil : filled
  }
}
