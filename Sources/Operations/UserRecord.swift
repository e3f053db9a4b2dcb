import Accounts

/// One user as they are told.
public struct UserRecord: Sendable {
  public let user: UserID
  public let status: UserStatus
  /// The parts that were asked for; nil when none was.
  public let details: UserDetails?
}
