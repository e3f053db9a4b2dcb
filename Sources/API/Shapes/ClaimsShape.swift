import Accounts

/// What is known of a person at one sign-in.
public struct ClaimsShape: Shape, Equatable {
  public static let title = "Claims"

  public var provider: ExactText = ""
  public var tenant: ExactText?
  public var subject: ExactText = ""
  public var email: ExactText?
  public var emailVerified: Bool?
  public var isPrivateEmail: Bool?
  public var profile = ProfileShape()

  public init() {}

  public init(provider: ExactText, tenant: ExactText? = nil, subject: ExactText) {
    self.provider = provider
    self.tenant = tenant
    self.subject = subject
  }

  public init(
    provider: ExactText, tenant: ExactText?, subject: ExactText, email: ExactText?, emailVerified: Bool?,
    isPrivateEmail: Bool?, profile: ProfileShape
  ) {
    self.provider = provider
    self.tenant = tenant
    self.subject = subject
    self.email = email
    self.emailVerified = emailVerified
    self.isPrivateEmail = isPrivateEmail
    self.profile = profile
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("provider", &provider, .provider, "Who proves the identity, as configured: apple, linkedin…")
    try visitor.member(
      "tenant", &tenant, .tenant, "The team or client id; may be left out where the provider has exactly one.")
    try visitor.member("subject", &subject, .subject, "The provider's id for the person: opaque, compared as bytes.")
    try visitor.member("email", &email, .email, "The e-mail address that the provider tells.")
    try visitor.member("email_verified", &emailVerified, "Whether the provider says that the address is the person's.")
    try visitor.member("is_private_email", &isPrivateEmail, "Whether the address is a relay of the provider.")
    try profile.members(&visitor)
  }
}
