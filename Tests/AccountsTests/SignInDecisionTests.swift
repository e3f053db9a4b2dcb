import Testing

@testable import Accounts

/// Every combination of facts and choices against the rules, each stated in full and by itself.
struct SignInDecisionTests {
  private typealias Scenario = SignInScenario

  private enum Outcome: Hashable {
    case refused(Refusal)
    case signedIn
    case linked
    case registeredVerified
    case registeredSupported
    case registeredClaimed
    case registeredWithoutAddress
    case held
    case challenged
    case notFound

    init(_ result: Result<SignInDecision, Refusal>) {
      self =
        switch result {
        case .failure(let refusal): .refused(refusal)
        case .success(.signIn): .signedIn
        case .success(.link): .linked
        case .success(.register(_, .verified)): .registeredVerified
        case .success(.register(_, .supported)): .registeredSupported
        case .success(.register(_, .claimed)): .registeredClaimed
        case .success(.register(_, .none)): .registeredWithoutAddress
        case .success(.hold): .held
        case .success(.challenge): .challenged
        case .success(.notFound): .notFound
        }
    }
  }

  private struct Rule: Sendable {
    let says: String
    let holds: @Sendable (Scenario) -> Bool
    let outcome: Outcome
  }

  /// No order among them: exactly one holds for every scenario.
  private static let rules: [Rule] = [
    Rule(says: "a known identity signs its user in", holds: { isOf($0, .active) }, outcome: .signedIn),
    Rule(says: "a disabled user is refused", holds: { isOf($0, .disabled) }, outcome: .refused(.userDisabled)),
    Rule(says: "an erased user is gone", holds: { isOf($0, .erased) }, outcome: .refused(.userErased)),
    Rule(says: "a merged user has no identities", holds: { isOf($0, .merged) }, outcome: .refused(.notFound)),
    Rule(
      says: "a disabled holder is refused unless nothing may be linked",
      holds: { isContested($0) && $0.link != .never && $0.holder == .somebodyDisabled },
      outcome: .refused(.userDisabled)),
    Rule(
      says: "a proven address attaches the identity to its holder",
      holds: { isContested($0) && $0.link == .verifiedEmail && isActive($0) && $0.isVouched && !$0.wasUnlinked },
      outcome: .linked),
    Rule(
      says: "what was unlinked stays unlinked until proven",
      holds: { isContested($0) && $0.link == .verifiedEmail && isActive($0) && $0.isVouched && $0.wasUnlinked },
      outcome: .challenged),
    Rule(
      says: "an unproven address is never enough",
      holds: { isContested($0) && $0.link == .verifiedEmail && isActive($0) && !$0.isVouched }, outcome: .challenged),
    Rule(
      says: "where linking is to be confirmed, no address is enough",
      holds: { isContested($0) && $0.link == .confirm && isActive($0) }, outcome: .challenged),
    Rule(
      says: "without linking, a held address makes a user who merely claims it",
      holds: { isContested($0) && $0.link == .never && $0.register == .auto }, outcome: .registeredClaimed),
    Rule(
      says: "without linking and registering, there is nobody",
      holds: { isContested($0) && $0.link == .never && $0.register == .never }, outcome: .notFound),
    Rule(
      says: "nobody who may become a user yet is kept",
      holds: { (isNobody($0) || isContested($0) && $0.link == .never) && $0.register == .hold }, outcome: .held),
    Rule(
      says: "nobody, and nobody is to be made", holds: { isNobody($0) && $0.register == .never }, outcome: .notFound),
    Rule(
      says: "a new user proves an address",
      holds: { isNobody($0) && $0.register == .auto && $0.isVouched && !$0.isHeld }, outcome: .registeredVerified),
    Rule(
      says: "a new user claims an address",
      holds: { isNobody($0) && $0.register == .auto && $0.hasAddress && !$0.isVouched }, outcome: .registeredClaimed),
    Rule(
      says: "a new user has no address", holds: { isNobody($0) && $0.register == .auto && !$0.hasAddress },
      outcome: .registeredWithoutAddress),
  ]

  private static func isOf(_ scenario: Scenario, _ status: UserStatus) -> Bool {
    if case .user(status, _) = scenario.known { true } else { false }
  }

  /// An identity nobody has comes with an address that somebody holds.
  private static func isContested(_ scenario: Scenario) -> Bool {
    !scenario.isKnown && scenario.hasAddress && scenario.isHeld
  }

  private static func isNobody(_ scenario: Scenario) -> Bool {
    !scenario.isKnown && !(scenario.hasAddress && scenario.isHeld)
  }

  private static func isActive(_ scenario: Scenario) -> Bool { scenario.holder == .somebodyActive }

  private let identity: IdentityKey

  init() throws {
    identity = IdentityKey(try #require(Namespace("apple:TEAM")), try #require(Subject("000768.mira")))
  }

  private func decide(_ scenario: Scenario) -> Result<SignInDecision, Refusal> {
    Result { () throws(Refusal) in try scenario.decide(identity) }
  }

  @Test func `every combination comes to what exactly one rule says`() throws {
    var counts = Array(repeating: 0, count: Self.rules.count)
    let all = Scenario.all
    for scenario in all {
      let matching = Self.rules.indices.filter { Self.rules[$0].holds(scenario) }
      try #require(matching.count == 1, "\(scenario): \(matching.map { Self.rules[$0].says })")
      counts[matching[0]] += 1
      #expect(Outcome(decide(scenario)) == Self.rules[matching[0]].outcome, "\(scenario)")
    }
    #expect(all.count > 15_000)
    #expect(!counts.contains(0))
  }

  @Test func `a decision names the right people and changes only what it must`() {
    for scenario in Scenario.all {
      guard case .success(let decision) = decide(scenario) else { continue }
      switch decision {
      case .signIn(let user, let identity, let changes):
        #expect(user == Scenario.ownUser && identity == Scenario.ownIdentity)
        expect(changes, in: scenario)
      case .link(let user, let by, let filled, let email):
        #expect(user == Scenario.otherUser && by == .verifiedEmail)
        #expect(email == .supported(ReportedEmail(Scenario.address, isVerified: true)))
        #expect(
          filled == (scenario.bringsProfile && !scenario.holderHasProfile ? Scenario.profile : nil), "\(scenario)")
      case .challenge(let candidates):
        #expect(candidates.map(\.user) == [Scenario.otherUser])
        #expect(candidates.first?.providers == [.linkedin] && candidates.first?.epoch == 7)
      case .register(let profile, let email):
        #expect(profile.isEmpty != scenario.bringsProfile)
        #expect(email.dropsClaimsOfOthers == (scenario.isVouched && !scenario.isHeld))
      case .hold, .notFound: break
      }
    }
  }

  private func expect(_ changes: EmailChange?, in scenario: Scenario) {
    guard case .user(_, let recorded) = scenario.known else { return }
    let isSameWord =
      recorded == .sameVerified && scenario.claimed == .verified
      || recorded == .sameUnverified && scenario.claimed == .unverified
    #expect((changes == nil) == (!scenario.hasAddress || isSameWord), "\(scenario)")
    guard let changes else { return }
    let stopped: ExactText? =
      switch recorded {
      case .none: nil
      case .otherVerified, .otherUnverified: "old@example.org"
      case .sameVerified: "mira@example.org"
      case .sameUnverified: nil
      }
    #expect(changes.email.address == Scenario.address)
    #expect(changes.email.isVerified == (scenario.claimed == .verified))
    #expect(changes.isOtherAddress == [.none, .otherVerified, .otherUnverified].contains(recorded), "\(scenario)")
    #expect(changes.stopsVouchingFor == stopped, "\(scenario)")
    let isFree = scenario.holder == .nobody || scenario.holder == .theUserThemselves
    let standing: EmailChange.Standing = scenario.isVouched && isFree ? .vouched : .claimed
    #expect(changes.standing == (scenario.isRemoved ? .removed : standing), "\(scenario)")
    #expect(
      changes.dropsClaimsOfOthers == (scenario.isVouched && scenario.holder == .nobody && !scenario.isRemoved),
      "\(scenario)")
  }

  @Test func `nobody is linked or made a holder by an unverified address or an untrusted provider`() {
    for scenario in Scenario.all where !scenario.isVouched {
      switch decide(scenario) {
      case .success(.link), .success(.register(_, .verified)): Issue.record("\(scenario)")
      case .success(.signIn(_, _, let changes)): #expect(changes?.standing != .vouched, "\(scenario)")
      default: break
      }
    }
  }

  @Test func `a held address never gets a second holder`() {
    for scenario in Scenario.all where [.somebodyActive, .somebodyDisabled].contains(scenario.holder) {
      switch decide(scenario) {
      case .success(.register(_, .verified)): Issue.record("\(scenario)")
      case .success(.signIn(_, _, let changes)): #expect(changes?.standing != .vouched, "\(scenario)")
      default: break
      }
    }
  }

  @Test func `a known identity is never anybody else's, whatever the address and the policy`() {
    for scenario in Scenario.all where scenario.isKnown {
      switch decide(scenario) {
      case .failure, .success(.signIn(Scenario.ownUser, _, _)): break
      default: Issue.record("\(scenario)")
      }
    }
  }

  @Test func `nobody is made where nobody is to be made`() {
    for scenario in Scenario.all where scenario.register == .never {
      if case .success(.register) = decide(scenario) { Issue.record("\(scenario)") }
    }
  }
}
