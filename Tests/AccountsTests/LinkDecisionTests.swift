import Accounts
import Testing

/// Attaching an identity on somebody's word, and what is left when one is taken off.
struct LinkDecisionTests {
  private typealias Scenario = SignInScenario

  private let key: IdentityKey
  private let caller: CallerName
  private let other: CallerName
  private let policy = SignInPolicy(register: .never, link: .confirm, trustsEmail: true)
  private let user = Scenario.otherUser
  private static let start = Timestamp(microseconds: 1_796_000_000_000_000)

  init() throws {
    key = IdentityKey(try #require(Namespace("linkedin:client")), try #require(Subject("s")))
    caller = try #require(CallerName("app"))
    other = try #require(CallerName("other"))
  }

  private func claims(_ email: ReportedEmail? = nil) -> Claims {
    Claims(identity: key, email: email, profile: Scenario.profile)
  }

  private func target(_ status: UserStatus = .active, epoch: Int64 = 3, _ profile: Profile = Profile()) -> LinkTarget {
    LinkTarget(user: user, status: status, profile: profile, epoch: epoch)
  }

  private func holder(_ user: UserID) -> AddressHolder {
    AddressHolder(user: user, status: .active, profile: Profile(), providers: [], epoch: 0)
  }

  private func known(_ user: UserID) -> KnownIdentity {
    KnownIdentity(identity: Scenario.ownIdentity, user: user, status: .active, email: nil)
  }

  private func link(
    _ claims: Claims, _ facts: SignInFacts = SignInFacts(), trusts: Bool = true
  ) throws -> SignInDecision {
    try SignInDecision(
      linking: claims, to: target(), by: .link, facts: facts,
      policy: SignInPolicy(register: .never, link: .confirm, trustsEmail: trusts))
  }

  @Test func `an address comes along as it would at a sign-in`() throws {
    let verified = ReportedEmail(Scenario.address, isVerified: true)
    let unverified = ReportedEmail(Scenario.address, isVerified: false)
    let somebodys = SignInFacts(holder: holder(Scenario.ownUser))
    let theirs = SignInFacts(holder: holder(user))
    for (email, facts, trusts, expected) in [
      (nil, SignInFacts(), true, RegisteredEmail.none), (verified, SignInFacts(), true, .verified(verified)),
      (verified, SignInFacts(), false, .claimed(verified)), (unverified, SignInFacts(), true, .claimed(unverified)),
      (verified, somebodys, true, .claimed(verified)), (verified, theirs, true, .supported(verified)),
      (unverified, theirs, true, .claimed(unverified)), (verified, theirs, false, .claimed(verified)),
      (verified, SignInFacts(isAddressRemoved: true), true, .none),
    ] as [(ReportedEmail?, SignInFacts, Bool, RegisteredEmail)] {
      let decision = try link(claims(email), facts, trusts: trusts)
      #expect(decision == .link(to: user, by: .link, filled: Scenario.profile, email: expected))
    }
  }

  @Test func `gaps of a profile are filled and nothing else`() throws {
    let named = Profile(name: PersonName(full: "Somebody"), nickname: "some")
    let decision = try SignInDecision(
      linking: claims(), to: target(.active, named), by: .link, facts: SignInFacts(), policy: policy)
    #expect(decision == .link(to: user, by: .link, filled: nil, email: .none))
  }

  @Test func `an identity that is theirs stays as it is, and somebody else's stays theirs`() throws {
    let changed = ReportedEmail(Scenario.otherAddress, isVerified: true)
    #expect(
      try link(claims(changed), SignInFacts(identity: known(user)))
        == .signIn(user, identity: Scenario.ownIdentity, changes: nil))
    #expect(throws: Refusal.identityLinkedElsewhere) {
      try link(claims(), SignInFacts(identity: known(Scenario.ownUser)))
    }
  }

  @Test func `nothing is linked to who is disabled or gone`() {
    for (status, expected) in [
      (UserStatus.disabled, Refusal.userDisabled), (.erased, .userErased), (.merged, .notFound),
    ] {
      #expect(throws: expected) {
        try SignInDecision(linking: claims(), to: target(status), by: .link, facts: SignInFacts(), policy: policy)
      }
    }
  }

  // MARK: Challenges

  private func challenge(isUsed: Bool = false, wrongProofs: Int = 0) -> ChallengeFacts {
    ChallengeFacts(
      caller: caller, candidates: [.init(user: user, epoch: 3)], expiresAt: Self.start.advanced(bySeconds: 60),
      isUsed: isUsed, wrongProofs: wrongProofs)
  }

  private func confirm(
    _ challenge: ChallengeFacts, _ proof: ConfirmDecision.Proof, _ target: LinkTarget? = nil,
    facts: SignInFacts = SignInFacts(), by caller: CallerName? = nil, afterSeconds: Double = 0
  ) throws -> ConfirmDecision {
    try ConfirmDecision(
      challenge, proof: proof, candidates: [target ?? self.target()], of: claims(), facts: facts, policy: policy,
      caller: caller ?? self.caller, at: Self.start.advanced(bySeconds: afterSeconds))
  }

  @Test func `a right proof attaches the identity, by the word of the caller or by an identity`() throws {
    let linked = SignInDecision.link(to: user, by: .confirmation, filled: Scenario.profile, email: .none)
    for proof in [ConfirmDecision.Proof.word(user), .identity(user)] {
      #expect(try confirm(challenge(), proof) == .accepted(linked))
    }
    #expect(
      try confirm(challenge(), .word(user), facts: SignInFacts(identity: known(user)))
        == .accepted(.signIn(user, identity: Scenario.ownIdentity, changes: nil)))
  }

  @Test func `a wrong proof is counted, whoever it shows somebody to be`() throws {
    let wrong: [(ConfirmDecision.Proof, WrongProof)] = [
      (.word(Scenario.ownUser), .otherUser), (.identity(Scenario.ownUser), .identityOfOther),
      (.identity(nil), .identityOfNobody), (.challengedIdentity, .challengedIdentity),
    ]
    for (proof, why) in wrong {
      for count in 0..<5 {
        #expect(try confirm(challenge(wrongProofs: count), proof) == .rejected(why, wrongProofs: count + 1))
      }
    }
  }

  @Test func `a challenge is answered once, in time, with five wrong proofs at most, by its caller`() {
    for proof in [ConfirmDecision.Proof.word(user), .identity(nil)] {
      #expect(throws: Refusal.challengeUsed) { try confirm(challenge(isUsed: true), proof) }
      #expect(throws: Refusal.challengeUsed) { try confirm(challenge(wrongProofs: 5), proof) }
      #expect(throws: Refusal.challengeExpired) { try confirm(challenge(), proof, afterSeconds: 60) }
      #expect(throws: Refusal.challengeMismatch) { try confirm(challenge(), proof, by: other) }
    }
    #expect(throws: Never.self) { try confirm(challenge(), .word(user), afterSeconds: 59.999) }
  }

  @Test func `a candidate who is not as they were makes a challenge worthless`() {
    let right = ConfirmDecision.Proof.word(user)
    #expect(throws: Refusal.challengeMismatch) { try confirm(challenge(), right, target(epoch: 4)) }
    #expect(throws: Refusal.userDisabled) { try confirm(challenge(), right, target(.disabled, epoch: 4)) }
    #expect(throws: Refusal.challengeMismatch) { try confirm(challenge(), right, target(.merged)) }
    #expect(throws: Refusal.challengeMismatch) { try confirm(challenge(), right, target(.erased)) }
    #expect(throws: Refusal.identityLinkedElsewhere) {
      try confirm(challenge(), right, facts: SignInFacts(identity: known(Scenario.ownUser)))
    }
  }

  // MARK: What is left

  @Test func `a way to sign in is a provider's identity, or a password with a verified address`() {
    for bits in 0..<8 {
      let (provider, password, address) = (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0)
      let ways = SignInWays(hasProvider: provider, hasPassword: password, hasVerifiedAddress: address)
      #expect(ways.areUsable == (provider || (password && address)))
      #expect(((try? ways.checkUsable()) != nil) == ways.areUsable)
    }
  }

  @Test func `how it stands with a token is told only to who has it`() {
    func check(
      isRight: Bool = true, isOfThisEpoch: Bool = true, isUsed: Bool = false, afterSeconds: Double = 0
    ) throws(Refusal) {
      try EmailTokenFacts(
        isRight: isRight, isOfThisEpoch: isOfThisEpoch, expiresAt: Self.start.advanced(bySeconds: 60), isUsed: isUsed
      ).check(at: Self.start.advanced(bySeconds: afterSeconds))
    }
    #expect(throws: Never.self) { try check(afterSeconds: 59.999) }
    #expect(throws: Refusal.challengeExpired) { try check(afterSeconds: 60) }
    #expect(throws: Refusal.challengeUsed) { try check(isUsed: true, afterSeconds: 60) }
    #expect(throws: Refusal.proofRejected) { try check(isOfThisEpoch: false) }
    for isUsed in [true, false] {
      for seconds in [0.0, 60] {
        #expect(throws: Refusal.proofRejected) { try check(isRight: false, isUsed: isUsed, afterSeconds: seconds) }
      }
    }
  }
}
