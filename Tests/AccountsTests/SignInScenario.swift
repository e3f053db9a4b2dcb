@testable import Accounts

/// One combination of facts, claims and policy, in the words of the rules rather than in types of the program.
struct SignInScenario: CustomStringConvertible {
  enum Known: Hashable {
    case nobody
    case user(UserStatus, Recorded)
  }

  enum Recorded: CaseIterable, Hashable {
    case none, sameUnverified, sameVerified, otherUnverified, otherVerified
  }

  enum Holder: CaseIterable, Hashable {
    case nobody, theUserThemselves, somebodyActive, somebodyDisabled
  }

  enum Claimed: CaseIterable, Hashable {
    case noAddress, unverified, verified
  }

  let known: Known
  let holder: Holder
  let wasUnlinked: Bool
  let isRemoved: Bool
  let claimed: Claimed
  let isTrusted: Bool
  let bringsProfile: Bool
  let holderHasProfile: Bool
  let register: SignInPolicy.Register
  let link: SignInPolicy.Link

  var isKnown: Bool { known != .nobody }
  var hasAddress: Bool { claimed != .noAddress }
  var isVouched: Bool { claimed == .verified && isTrusted }
  var isHeld: Bool { holder != .nobody }

  var description: String {
    "known \(known), held by \(holder), unlinked \(wasUnlinked), removed \(isRemoved), claims \(claimed), trusted \(isTrusted), "
      + "profiles \(bringsProfile)/\(holderHasProfile), register \(register), link \(link)"
  }

  /// Every combination that can be; a holder who is the identity's own user needs an identity that is known.
  static var all: [SignInScenario] {
    let statuses = UserStatus.allCases.flatMap { status in Recorded.allCases.map { Known.user(status, $0) } }
    var all: [SignInScenario] = []
    for known in [Known.nobody] + statuses {
      for holder in Holder.allCases where known != .nobody || holder != .theUserThemselves {
        for claimed in Claimed.allCases {
          for register in SignInPolicy.Register.allCases {
            for link in SignInPolicy.Link.allCases {
              for bits in 0..<32 {
                all.append(
                  SignInScenario(
                    known: known, holder: holder, claimed: claimed, register: register, link: link, bits: bits))
              }
            }
          }
        }
      }
    }
    return all
  }

  private init(
    known: Known, holder: Holder, claimed: Claimed, register: SignInPolicy.Register, link: SignInPolicy.Link, bits: Int
  ) {
    func isSet(_ position: Int) -> Bool { bits >> position & 1 == 1 }
    self.known = known
    self.holder = holder
    self.claimed = claimed
    wasUnlinked = isSet(0)
    isTrusted = isSet(1)
    bringsProfile = isSet(2)
    holderHasProfile = isSet(3)
    self.register = register
    self.link = link
    isRemoved = isSet(4)
  }
}

extension SignInScenario {
  static let ownUser = UserID(UniqueID(high: 1, low: 1))
  static let otherUser = UserID(UniqueID(high: 2, low: 2))
  static let ownIdentity = IdentityID(UniqueID(high: 3, low: 3))
  static let profile = Profile(name: PersonName(full: "Mira Holm"), nickname: "mira")
  static let address = EmailAddress(storedAsGiven: "Mira@example.org", canonical: "mira@example.org")
  static let sameAddress = EmailAddress(storedAsGiven: "mira@Example.org", canonical: "mira@example.org")
  static let otherAddress = EmailAddress(storedAsGiven: "old@example.org", canonical: "old@example.org")

  func decide(_ identity: IdentityKey) throws(Refusal) -> SignInDecision {
    try SignInDecision(claims(of: identity), facts: facts, policy: policy)
  }

  var policy: SignInPolicy { SignInPolicy(register: register, link: link, trustsEmail: isTrusted) }

  private func claims(of identity: IdentityKey) -> Claims {
    let email = hasAddress ? ReportedEmail(Self.address, isVerified: claimed == .verified) : nil
    return Claims(identity: identity, email: email, profile: bringsProfile ? Self.profile : Profile())
  }

  private var facts: SignInFacts {
    SignInFacts(
      identity: knownIdentity, holder: addressHolder, wasUnlinkedFromHolder: wasUnlinked, isAddressRemoved: isRemoved)
  }

  private var knownIdentity: KnownIdentity? {
    guard case .user(let status, let recorded) = known else { return nil }
    return KnownIdentity(
      identity: Self.ownIdentity, user: Self.ownUser, status: status, email: Self.reported(recorded))
  }

  private static func reported(_ recorded: Recorded) -> ReportedEmail? {
    switch recorded {
    case .none: nil
    case .sameUnverified: ReportedEmail(sameAddress, isVerified: false)
    case .sameVerified: ReportedEmail(sameAddress, isVerified: true)
    case .otherUnverified: ReportedEmail(otherAddress, isVerified: false)
    case .otherVerified: ReportedEmail(otherAddress, isVerified: true)
    }
  }

  private var addressHolder: AddressHolder? {
    guard isHeld else { return nil }
    return AddressHolder(
      user: holder == .theUserThemselves ? Self.ownUser : Self.otherUser,
      status: holder == .somebodyDisabled ? .disabled : .active,
      profile: holderHasProfile ? Self.profile : Profile(), providers: [.linkedin], epoch: 7)
  }
}
