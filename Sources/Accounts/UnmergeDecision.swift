/// What the undoing of a merge takes off the survivor and gives back to the absorbed user.
///
/// Identities go back if they came with the merge and are still there. What vouches for an address, or reports it, follows the
/// identities; an address that the survivor had not before and that nothing of theirs has come to vouch for or report goes back whole.
/// What came later stays.
public struct UnmergeDecision: Hashable, Sendable {
  /// One identity that the survivor has now.
  public struct Identity: Hashable, Sendable {
    public let id: IdentityID
    public let isPassword: Bool
    /// The canonical address that its provider told last.
    public let email: ExactText?
    /// Whether the merge brought it.
    public let came: Bool

    public init(id: IdentityID, isPassword: Bool, email: ExactText?, came: Bool) {
      self.id = id
      self.isPassword = isPassword
      self.email = email
      self.came = came
    }
  }

  /// An address of a user, with what vouches for it.
  public struct Address: Hashable, Sendable {
    public let canonical: ExactText
    public let email: ExactText
    public let addedAt: Timestamp
    public var vouchers: [IdentityID]
    public var isProvedByToken: Bool

    public init(
      canonical: ExactText, email: ExactText, addedAt: Timestamp, vouchers: [IdentityID], isProvedByToken: Bool
    ) {
      self.canonical = canonical
      self.email = email
      self.addedAt = addedAt
      self.vouchers = vouchers
      self.isProvedByToken = isProvedByToken
    }

    public var isVerified: Bool { isProvedByToken || !vouchers.isEmpty }
  }

  /// How an address that the absorbed user had stood before the merge.
  public struct Former: Hashable, Sendable {
    public let email: ExactText
    public let addedAt: Timestamp
    public let isProvedByToken: Bool
    /// When the survivor had got it themselves, and whether a token had proved it to be theirs; nil if they had it not.
    public let survivor: Own?
    /// Whether an identity of the survivor's reported it.
    public let isReportedBySurvivor: Bool

    public struct Own: Hashable, Sendable {
      public let addedAt: Timestamp
      public let isProvedByToken: Bool

      public init(addedAt: Timestamp, isProvedByToken: Bool) {
        self.addedAt = addedAt
        self.isProvedByToken = isProvedByToken
      }
    }

    public init(
      email: ExactText, addedAt: Timestamp, isProvedByToken: Bool, survivor: Own?, isReportedBySurvivor: Bool
    ) {
      self.email = email
      self.addedAt = addedAt
      self.isProvedByToken = isProvedByToken
      self.survivor = survivor
      self.isReportedBySurvivor = isReportedBySurvivor
    }
  }

  /// The identities that go back.
  public let identities: [IdentityID]

  /// Addresses that the survivor keeps with fewer sources.
  public private(set) var reduced: [Address] = []

  /// The canonical form of those that the survivor has no longer.
  public private(set) var dropped: [ExactText] = []

  /// The addresses of the absorbed user.
  public private(set) var returned: [Address] = []

  /// - Parameters:
  ///   - identities: all that the survivor has now.
  ///   - addresses: all that the survivor has now, each with how it stood before the merge if the absorbed user had it, and
  ///     whether an identity that the merge brought has come to report it since, and it was not got otherwise after that.
  ///   - mergedAt: when the merge was.
  /// - Throws: ``Refusal/lastSignInMethod`` if the survivor can sign in now and could not any more.
  public init(
    identities: [Identity], addresses: [(now: Address, former: Former?, isReported: Bool)], mergedAt: Timestamp
  ) throws(Refusal) {
    self.identities = identities.filter(\.came).map(\.id)
    let going = Set(self.identities)
    let reported = Set(identities.filter { !$0.came }.compactMap(\.email))
    var isAnyVerified = false
    for (now, former, isReported) in addresses {
      isAnyVerified =
        divide(
          now, former, going, isReportedBack: isReported, isReported: reported.contains(now.canonical), mergedAt)
        || isAnyVerified
    }
    let couldSignIn = Self.hasWayIn(identities, withVerifiedAddress: addresses.contains { $0.now.isVerified })
    guard !couldSignIn || Self.hasWayIn(identities.filter { !$0.came }, withVerifiedAddress: isAnyVerified) else {
      throw .lastSignInMethod
    }
  }

  /// A password is a way in only with an address by which it can be found and recovered.
  private static func hasWayIn(_ identities: [Identity], withVerifiedAddress: Bool) -> Bool {
    identities.contains { !$0.isPassword || withVerifiedAddress }
  }

  /// Divides one address between the two.
  ///
  /// - Parameters:
  ///   - going: the identities that go back.
  ///   - isReportedBack: whether one that the merge brought has come to report it.
  ///   - isReported: whether one that stays reports it.
  /// - Returns: whether the survivor still holds it as verified.
  private mutating func divide(
    _ now: Address, _ former: Former?, _ going: Set<IdentityID>, isReportedBack: Bool, isReported: Bool,
    _ mergedAt: Timestamp
  ) -> Bool {
    // One that was removed since and added again is another, and the survivor's own.
    let merged = former.flatMap { now.addedAt == ($0.survivor?.addedAt ?? $0.addedAt) ? $0 : nil }
    let returning = now.vouchers.filter(going.contains)
    let tokenReturns =
      now.isProvedByToken && merged.map { $0.isProvedByToken && $0.survivor?.isProvedByToken != true } ?? false
    guard merged != nil || !returning.isEmpty || isReportedBack else { return now.isVerified }

    var kept = now
    kept.vouchers.removeAll(where: going.contains)
    kept.isProvedByToken = now.isProvedByToken && !tokenReturns
    let isOwn =
      merged.map { $0.survivor != nil || isReported && !$0.isReportedBySurvivor }
      ?? (now.addedAt <= mergedAt || isReported)
    if !isOwn && !kept.isVerified {
      dropped.append(now.canonical)
    } else if kept != now {
      reduced.append(kept)
    }
    // At most one holds it as verified: the survivor, if anything of their own vouches for it.
    returned.append(
      Address(
        canonical: now.canonical, email: merged?.email ?? now.email, addedAt: merged?.addedAt ?? now.addedAt,
        vouchers: kept.isVerified ? [] : returning, isProvedByToken: tokenReturns && !kept.isVerified))
    return kept.isVerified
  }
}
