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

  /// What is to be recorded when this identity signs in with the claims; nil where nothing is new.
  ///
  /// - Parameter holder: the user who holds the address in the claims as verified.
  /// - Throws: ``Refusal/userDisabled``.
  public func change(
    by claims: Claims, holder: AddressHolder?, policy: SignInPolicy
  ) throws(Refusal) -> EmailChange? {
    try status.checkActive()
    return EmailChange(of: self, to: claims.email, holder: holder, policy: policy)
  }
}
