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
  /// - Parameter facts: what is known of the address in the claims; for whether anything is new it does not matter.
  /// - Throws: ``Refusal/userDisabled``.
  public func change(
    by claims: Claims, facts: SignInFacts = SignInFacts(), policy: SignInPolicy
  ) throws(Refusal) -> EmailChange? {
    try status.checkActive()
    return EmailChange(of: self, to: claims.email, facts: facts, policy: policy)
  }
}
