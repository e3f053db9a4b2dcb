import Accounts
import Testing

/// Known attacks on account linking, as far as the decision alone withstands them.
struct LinkingAttackTests {
  private let apple: Namespace
  private let naver: Namespace
  private let victim = UserID(UniqueID(high: 1, low: 1))
  private let identity = IdentityID(UniqueID(high: 2, low: 2))
  private let mira: EmailAddress
  private let open = SignInPolicy(register: .auto, link: .verifiedEmail, trustsEmail: true)

  init() throws {
    apple = try #require(Namespace("apple:TEAM"))
    naver = try #require(Namespace("naver:client"))
    mira = try EmailAddress("mira@example.org")
  }

  private func claims(
    _ subject: String, in namespace: Namespace? = nil, _ email: EmailAddress?, isVerified: Bool
  ) throws -> Claims {
    let key = IdentityKey(namespace ?? apple, try #require(Subject(subject)))
    return Claims(identity: key, email: email.map { ReportedEmail($0, isVerified: isVerified) })
  }

  private var heldByVictim: SignInFacts {
    SignInFacts(
      holder: AddressHolder(user: victim, status: .active, profile: Profile(), providers: [.apple], epoch: 0))
  }

  private func recorded(_ email: ReportedEmail?) -> KnownIdentity {
    KnownIdentity(identity: identity, user: victim, status: .active, email: email)
  }

  @Test func `attack 1, a squatter who only claimed an address loses it and gets no link`() throws {
    // The squatter's claim is no fact at all: only a verified holder is.
    let claims = try claims("new", mira, isVerified: true)
    let decision = try SignInDecision(claims, facts: SignInFacts(), policy: open)
    let email = try #require(claims.email)
    #expect(decision == .register(Profile(), email: .verified(email)))
    #expect(RegisteredEmail.verified(email).dropsClaimsOfOthers)
  }

  @Test func `attack 5, an address that is not called verified opens no account`() throws {
    let claims = try claims("new", mira, isVerified: false)
    guard case .challenge = try SignInDecision(claims, facts: heldByVictim, policy: open) else {
      Issue.record("linked or registered by an unverified address")
      return
    }
  }

  @Test func `attack 5, a provider that is not trusted opens no account by calling an address verified`() throws {
    let claims = try claims("new", in: naver, mira, isVerified: true)
    let settings = NamespaceSettings(naver)
    let policy = SignInPolicy(register: .auto, link: .verifiedEmail, trustsEmail: settings.trustsEmail)
    guard case .challenge = try SignInDecision(claims, facts: heldByVictim, policy: policy) else {
      Issue.record("linked or registered by an untrusted provider")
      return
    }
  }

  @Test(arguments: ["new@example.org", "new@elsewhere.example"])
  func `attacks 6 and 23, the same subject with a new address is the same user`(new: String) throws {
    let claims = try claims("s", EmailAddress(new), isVerified: true)
    let facts = SignInFacts(identity: recorded(ReportedEmail(mira, isVerified: true)))
    guard case .signIn(victim, identity, let changes?) = try SignInDecision(claims, facts: facts, policy: open) else {
      Issue.record("not the same user")
      return
    }
    #expect(changes.stopsVouchingFor == mira.canonical)
  }

  @Test func `attacks 6 and 23, a new subject with an address the user gave up is not that user`() throws {
    // Once the source is gone the user merely claims the address, and nobody holds it.
    let claims = try claims("other", mira, isVerified: true)
    guard case .register(_, .verified) = try SignInDecision(claims, facts: SignInFacts(), policy: open) else {
      Issue.record("an address that was handed on opened an account")
      return
    }
  }

  @Test func `attacks 6 and 23, an address of somebody else does not move to who comes with it`() throws {
    let claims = try claims("s", mira, isVerified: true)
    let facts = SignInFacts(
      identity: recorded(nil),
      holder: AddressHolder(
        user: UserID(UniqueID(high: 9, low: 9)), status: .active, profile: Profile(), providers: [.linkedin], epoch: 0))
    guard case .signIn(victim, _, let changes?) = try SignInDecision(claims, facts: facts, policy: open) else {
      Issue.record("not signed in as the identity's user")
      return
    }
    #expect(changes.standing == .claimed)
    #expect(!changes.dropsClaimsOfOthers)
  }

  @Test func `attack 16, one subject in two namespaces is two identities`() throws {
    let otherTeam = try #require(Namespace("apple:OTHER"))
    let keys = try [apple, otherTeam, naver].map { try claims("s", in: $0, nil, isVerified: false).identity }
    #expect(Set(keys).count == 3)
  }

  @Test func `attack 18, an identity that was unlinked is not attached again by its address`() throws {
    let facts = SignInFacts(holder: heldByVictim.holder, wasUnlinkedFromHolder: true)
    guard case .challenge = try SignInDecision(claims("s", mira, isVerified: true), facts: facts, policy: open) else {
      Issue.record("attached again")
      return
    }
  }

  @Test func `what was unlinked is asked about, whatever its address says and whoever may register`() throws {
    for register in SignInPolicy.Register.allCases {
      for (email, isVerified) in [(nil, false), (mira, false), (mira, true)] as [(EmailAddress?, Bool)] {
        func decide(_ link: SignInPolicy.Link, _ status: UserStatus) throws -> SignInDecision {
          let former = AddressHolder(
            user: SignInScenario.otherUser, status: status, profile: Profile(), providers: [.linkedin], epoch: 7)
          return try SignInDecision(
            claims("s", email, isVerified: isVerified), facts: SignInFacts(unlinkedFrom: former),
            policy: SignInPolicy(register: register, link: link, trustsEmail: true))
        }
        for link in [SignInPolicy.Link.verifiedEmail, .confirm] {
          guard case .challenge(let candidates) = try decide(link, .active) else {
            Issue.record("not asked about")
            continue
          }
          #expect(candidates.map(\.user) == [SignInScenario.otherUser])
          #expect(throws: Refusal.userDisabled) { try decide(link, .disabled) }
        }
        if case .challenge = try decide(.never, .active) { Issue.record("asked about under never") }
      }
    }
  }
}
