import Accounts
import Testing

/// What a merge makes of the survivor, and what its undo gives back.
struct MergeDecisionTests {
  private static let mergedAt = Timestamp(microseconds: 1_000_000)
  private static let before = Timestamp(microseconds: 1)
  private static let later = Timestamp(microseconds: 2_000_000)

  private func id(_ number: UInt64) -> IdentityID { IdentityID(UniqueID(high: 0, low: number)) }

  private func identity(
    _ number: UInt64, came: Bool, email: ExactText? = nil, isPassword: Bool = false
  ) -> UnmergeDecision.Identity {
    UnmergeDecision.Identity(id: id(number), isPassword: isPassword, email: email, came: came)
  }

  private func address(
    _ vouchers: [UInt64], token: Bool = false, addedAt: Timestamp = before
  ) -> UnmergeDecision.Address {
    UnmergeDecision.Address(
      canonical: "a@example.org", email: "A@example.org", addedAt: addedAt, vouchers: vouchers.map(id),
      isProvedByToken: token)
  }

  private func former(
    token: Bool = false, own: UnmergeDecision.Former.Own? = nil, reported: Bool = false
  ) -> UnmergeDecision.Former {
    UnmergeDecision.Former(
      email: "a@Example.org", addedAt: Self.before, isProvedByToken: token, survivor: own,
      isReportedBySurvivor: reported)
  }

  /// What becomes of one address: of the survivor's and of the absorbed user's, each with its sources.
  private func fate(
    _ now: UnmergeDecision.Address, _ former: UnmergeDecision.Former?,
    _ identities: [UnmergeDecision.Identity]? = nil, cameBack: Bool = false
  ) throws -> String {
    let decision = try UnmergeDecision(
      identities: identities ?? [identity(1, came: false), identity(2, came: true)],
      addresses: [(now, former, cameBack)], mergedAt: Self.mergedAt)
    func sources(_ address: UnmergeDecision.Address) -> String {
      (address.vouchers.map { "\($0.unique.low)" } + (address.isProvedByToken ? ["token"] : [])).joined(separator: "+")
    }
    let kept = decision.dropped.isEmpty ? decision.reduced.first ?? now : nil
    return "\(kept.map(sources) ?? "none") | \(decision.returned.first.map(sources) ?? "none")"
  }

  @Test func `an address goes where what vouches for it goes`() throws {
    let own = UnmergeDecision.Former.Own(addedAt: Self.before, isProvedByToken: false)
    let ownProved = UnmergeDecision.Former.Own(addedAt: Self.before, isProvedByToken: true)
    // It came with the merge.
    #expect(try fate(address([2]), former()) == "none | 2")
    #expect(try fate(address([]), former()) == "none | ")
    #expect(try fate(address([], token: true), former(token: true)) == "none | token")
    // Both had it.
    #expect(try fate(address([2]), former(own: own)) == " | 2")
    #expect(try fate(address([1]), former(own: own)) == "1 | ")
    #expect(try fate(address([], token: true), former(own: ownProved)) == "token | ")
    #expect(try fate(address([], token: true), former(token: true, own: own)) == " | token")
    // The survivor's own came to vouch for it since.
    #expect(try fate(address([2, 1]), former()) == "1 | ")
    #expect(try fate(address([2, 1]), former(own: own)) == "1 | ")
    // An identity of the survivor's has come to report it, or did so all along.
    let reporting = [identity(1, came: false, email: "a@example.org"), identity(2, came: true)]
    #expect(try fate(address([2]), former(), reporting) == " | 2")
    #expect(try fate(address([2]), former(reported: true), reporting) == "none | 2")
    // It came after the merge, by what goes back.
    #expect(try fate(address([2], addedAt: Self.later), nil) == "none | 2")
    #expect(try fate(address([], addedAt: Self.later), nil, cameBack: true) == "none | ")
    #expect(try fate(address([], addedAt: Self.later), nil, reporting, cameBack: true) == " | ")
    // Also if that identity is gone, or has gone on to report another.
    #expect(
      try fate(address([], addedAt: Self.later), nil, [identity(1, came: false)], cameBack: true) == "none | ")
    // The survivor had it, and what goes back vouches for it since.
    #expect(try fate(address([2]), nil) == " | 2")
    // It is none of the merge's.
    #expect(try fate(address([1]), nil) == "1 | none")
    #expect(try fate(address([], addedAt: Self.later), nil) == " | none")
    // It was removed, and added again by the survivor.
    #expect(try fate(address([], addedAt: Self.later), former()) == " | none")
    #expect(try fate(address([], token: true, addedAt: Self.later), former(token: true)) == "token | none")
  }

  @Test func `a spelling goes back as it was`() throws {
    let decision = try UnmergeDecision(
      identities: [identity(1, came: false), identity(2, came: true)],
      addresses: [(address([2]), former(), false)], mergedAt: Self.mergedAt)
    #expect(decision.identities == [id(2)])
    #expect(decision.returned.map(\.email) == ["a@Example.org"])
  }

  @Test func `a survivor keeps a way in, if they have one`() throws {
    func isRefused(
      _ identities: [UnmergeDecision.Identity],
      _ addresses: [(now: UnmergeDecision.Address, former: UnmergeDecision.Former?, isReported: Bool)] = []
    ) -> Bool {
      do {
        _ = try UnmergeDecision(identities: identities, addresses: addresses, mergedAt: Self.mergedAt)
        return false
      } catch {
        return error == .lastSignInMethod
      }
    }
    #expect(isRefused([identity(1, came: true)]))
    #expect(!isRefused([identity(1, came: true), identity(2, came: false)]))
    #expect(isRefused([identity(1, came: true), identity(2, came: false, isPassword: true)]))
    #expect(
      isRefused(
        [identity(1, came: true), identity(2, came: false, isPassword: true)],
        [(address([1]), former(), false)]))
    #expect(
      !isRefused(
        [identity(1, came: true), identity(2, came: false, isPassword: true)],
        [(address([], token: true), nil, false)])
    )
    // Who cannot sign in anyway loses nothing.
    #expect(!isRefused([]))
    #expect(!isRefused([identity(1, came: true, isPassword: true)]))
  }

  @Test func `the survivor's profile stays, and its gaps are filled and emptied again`() {
    let survivor = Profile(name: PersonName(full: "Mira"), locale: "de")
    let absorbed = Profile(name: PersonName(full: "Mira B."), nickname: "mi", picture: "p", locale: "de")
    let merged = MergedAccount(
      survivor: .init(status: .active, profile: survivor), absorbed: .init(status: .active, profile: absorbed))
    #expect(merged.filled == [.nickname, .picture] && !merged.becomesDisabled)
    #expect(merged.profile.name.full == "Mira")
    #expect(survivor.contradictions(to: absorbed) == [.name])
    let apart = Profile(name: PersonName(given: "Mira", family: "B."), locale: "en")
    #expect(apart.contradictions(to: absorbed) == [.locale])
    let korean = Profile(name: PersonName(given: "민지", family: "김"))
    #expect(korean.contradictions(to: Profile(name: PersonName(full: "김민지"))) == [])
    #expect(merged.profile.removing(merged.filled, asIn: absorbed) == survivor)
    var changed = merged.profile
    changed.nickname = "mimi"
    #expect(changed.removing(merged.filled, asIn: absorbed).nickname == "mimi")
    #expect(changed.removing(merged.filled, asIn: absorbed).picture == nil)
  }

  @Test func `disabled is sticky`() {
    func becomesDisabled(_ survivor: UserStatus, _ absorbed: UserStatus) -> Bool {
      MergedAccount(
        survivor: .init(status: survivor, profile: Profile()), absorbed: .init(status: absorbed, profile: Profile())
      ).becomesDisabled
    }
    #expect(becomesDisabled(.active, .disabled))
    #expect(!becomesDisabled(.active, .active) && !becomesDisabled(.disabled, .disabled))
    #expect(!becomesDisabled(.disabled, .active))
  }
}
