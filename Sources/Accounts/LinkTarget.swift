/// The user whom an identity is to be attached to on somebody's word rather than by an address.
public struct LinkTarget: Hashable, Sendable {
  public let user: UserID
  public let status: UserStatus
  public let profile: Profile

  /// Counts what makes older challenges and tokens of the user worthless.
  public let epoch: Int64

  public init(user: UserID, status: UserStatus, profile: Profile, epoch: Int64) {
    self.user = user
    self.status = status
    self.profile = profile
    self.epoch = epoch
  }
}
