import Accounts
import Testing

struct SignInEventsTests {
  private typealias Scenario = SignInScenario

  private let user = Scenario.ownUser
  private let identity = Scenario.ownIdentity
  private let namespace: Namespace

  init() throws {
    namespace = try #require(Namespace("linkedin:client"))
  }

  private func events(of decision: SignInDecision) -> [Event] {
    decision.events(user: user, identity: identity, namespace: namespace)
  }

  @Test func `a new user's first identity is told in user registered alone`() {
    let email = ReportedEmail(Scenario.address, isVerified: true)
    for decision in [
      SignInDecision.register(Scenario.profile, email: .verified(email)),
      .register(Profile(), email: .claimed(email)), .register(Profile(), email: .none),
    ] {
      #expect(events(of: decision) == [.userRegistered(user, identity: identity, namespace: namespace)])
    }
  }

  @Test func `a link tells of the identity, and of the user when gaps were filled`() {
    let linked = Event.identityLinked(user, identity: identity, namespace: namespace, by: .verifiedEmail)
    let email = ReportedEmail(Scenario.address, isVerified: true)
    for known in [RegisteredEmail.supported(email), .claimed(email), .none] {
      #expect(events(of: .link(to: user, by: .verifiedEmail, filled: nil, email: known)) == [linked])
      #expect(
        events(of: .link(to: user, by: .verifiedEmail, filled: Scenario.profile, email: known)) == [
          linked, .userUpdated(user),
        ])
    }
    #expect(
      events(of: .link(to: user, by: .verifiedEmail, filled: nil, email: .verified(email))) == [
        linked, .emailVerified(user, email: Scenario.address.canonical),
      ])
  }

  @Test func `what changes nothing tells nothing`() {
    #expect(events(of: .signIn(user, identity: identity, changes: nil)).isEmpty)
    #expect(events(of: .challenge(candidates: [])).isEmpty)
    #expect(events(of: .notFound).isEmpty)
  }

  /// A known identity comes with a verified address of a trusted provider.
  private func events(
    recorded: ReportedEmail?, reported: ReportedEmail, holder: UserID? = nil
  ) throws -> [EventType] {
    let claims = Claims(identity: IdentityKey(namespace, try #require(Subject("s"))), email: reported)
    let facts = SignInFacts(
      identity: KnownIdentity(identity: identity, user: user, status: .active, email: recorded),
      holder: holder.map { AddressHolder(user: $0, status: .active, profile: Profile(), providers: [], epoch: 0) })
    let policy = SignInPolicy(register: .auto, link: .verifiedEmail, trustsEmail: true)
    return events(of: try SignInDecision(claims, facts: facts, policy: policy)).map(\.type)
  }

  @Test func `another address is told, and whether the user has come to hold it`() throws {
    let old = ReportedEmail(Scenario.otherAddress, isVerified: true)
    let new = ReportedEmail(Scenario.address, isVerified: true)
    let unverified = ReportedEmail(Scenario.address, isVerified: false)
    #expect(try events(recorded: old, reported: new) == [.identityEmailChanged, .emailVerified])
    #expect(try events(recorded: nil, reported: new) == [.identityEmailChanged, .emailVerified])
    #expect(try events(recorded: old, reported: unverified) == [.identityEmailChanged])
    #expect(try events(recorded: old, reported: new, holder: Scenario.otherUser) == [.identityEmailChanged])
    #expect(try events(recorded: old, reported: new, holder: user) == [.identityEmailChanged])
    #expect(try events(recorded: unverified, reported: new) == [.emailVerified])
    #expect(try events(recorded: new, reported: unverified, holder: user) == [])
    #expect(try events(recorded: new, reported: new, holder: user) == [])
  }
}
