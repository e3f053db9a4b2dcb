/// What to record when a known identity comes with another address, or with another word on whether it is verified.
///
/// It never changes whose the identity is.
public struct EmailChange: Hashable, Sendable {
  /// What becomes of the address that the identity has now.
  public enum Standing: Hashable, Sendable {
    /// The identity becomes a source of the user's verified address.
    case vouched
    /// The user merely claims it: the provider's word does not count, or somebody else holds it.
    case claimed
    /// The user has removed it, and it does not come back by itself: only what the identity says is recorded.
    case removed
  }

  /// What the provider says now.
  public let email: ReportedEmail

  /// False when only the word on whether it is verified changed.
  public let isOtherAddress: Bool

  /// The canonical address for which the identity is no source any more, if it was one.
  public let stopsVouchingFor: ExactText?

  public let standing: Standing

  /// Whether the user holds the address as verified already, by another source.
  public let isHeldAlready: Bool

  /// Whether everyone else's mere claims to the address are dropped, because the user proves it now.
  public var dropsClaimsOfOthers: Bool { standing == .vouched && !isHeldAlready }

  /// Nil when nothing is to be recorded: no address came, or the recorded one with the same word on it.
  ///
  /// A spelling of the same canonical address is no change.
  init?(of known: KnownIdentity, to reported: ReportedEmail?, facts: SignInFacts, policy: SignInPolicy) {
    guard let reported else { return nil }
    let recorded = known.email
    isOtherAddress = recorded.map { $0.address != reported.address } ?? true
    guard isOtherAddress || recorded?.isVerified != reported.isVerified else { return nil }
    email = reported
    stopsVouchingFor = isOtherAddress || !reported.isVerified ? recorded?.address.canonical : nil
    isHeldAlready = facts.holder?.user == known.user
    let isFree = facts.holder == nil || isHeldAlready
    standing = facts.isAddressRemoved ? .removed : policy.vouches(for: reported) && isFree ? .vouched : .claimed
  }
}
