/// An identity that has a user already, as it was recorded.
public struct KnownIdentity: Hashable, Sendable {
  public let identity: IdentityID
  public let user: UserID
  public let status: UserStatus

  /// What its provider last said of the person's address.
  public let email: ReportedEmail?

  public init(identity: IdentityID, user: UserID, status: UserStatus, email: ReportedEmail?) {
    self.identity = identity
    self.user = user
    self.status = status
    self.email = email
  }
}
