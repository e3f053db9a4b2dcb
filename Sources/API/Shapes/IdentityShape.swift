import Accounts

/// The tie between one provider's subject and one user.
public struct IdentityShape: Shape, Equatable {
  public static let title = "Identity"

  public var id = IdentityID.unset
  public var provider: ExactText = ""
  public var tenant: ExactText = ""
  public var subject: ExactText = ""
  public var userID = UserID.unset
  public var email: ExactText?
  public var emailVerified: Bool?
  public var linkedAt = Timestamp.unset
  public var linkedBy = LinkedByWord.register
  public var lastSignInAt: Timestamp?

  public init() {}

  public init(
    id: IdentityID, provider: ExactText, tenant: ExactText, subject: ExactText, userID: UserID,
    email: ExactText? = nil, emailVerified: Bool? = nil, linkedAt: Timestamp, linkedBy: LinkedByWord,
    lastSignInAt: Timestamp? = nil
  ) {
    self.id = id
    self.provider = provider
    self.tenant = tenant
    self.subject = subject
    self.userID = userID
    self.email = email
    self.emailVerified = emailVerified
    self.linkedAt = linkedAt
    self.linkedBy = linkedBy
    self.lastSignInAt = lastSignInAt
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, "The identity's id.")
    try visitor.member("provider", &provider, .provider, "Who proves it.")
    try visitor.member("tenant", &tenant, .tenant, "The team or client id within which the subject is unique.")
    try visitor.member("subject", &subject, .subject, "The provider's id for the person.")
    try visitor.member("user_id", &userID, "Whose it is.")
    try visitor.member("email", &email, .email, "The address that the provider told last.")
    try visitor.member("email_verified", &emailVerified, "Whether the provider called that address verified.")
    try visitor.member("linked_at", &linkedAt, "When it came to its user.")
    try visitor.member("linked_by", &linkedBy, "How it came to its user.")
    try visitor.member("last_sign_in_at", &lastSignInAt, "When it was last used to sign in.")
  }
}
