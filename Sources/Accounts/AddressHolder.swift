/// A user to whom a sign-in leads, though the identity is not theirs: the one who holds its address as verified, or off whom
/// it was taken.
public struct AddressHolder: Hashable, Sendable {
  public let user: UserID
  public let status: UserStatus
  public let profile: Profile

  /// The providers of the user's identities, told in a challenge so that the person knows how to prove themselves.
  public let providers: [Provider]

  /// Counts what makes older challenges and tokens of the user worthless.
  public let epoch: Int64

  public init(user: UserID, status: UserStatus, profile: Profile, providers: [Provider], epoch: Int64) {
    self.user = user
    self.status = status
    self.profile = profile
    self.providers = providers
    self.epoch = epoch
  }
}
