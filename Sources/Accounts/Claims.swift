/// What is known of a person at this sign-in, asserted by a backend or derived from evidence.
public struct Claims: Hashable, Sendable {
  public let identity: IdentityKey
  public let email: ReportedEmail?
  public let profile: Profile

  public init(identity: IdentityKey, email: ReportedEmail? = nil, profile: Profile = Profile()) {
    self.identity = identity
    self.email = email
    self.profile = profile
  }
}
