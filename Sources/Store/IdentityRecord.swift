import Accounts
import Postgres

/// One identity as it is told.
public struct IdentityRecord: Sendable {
  public let identity: IdentityID
  public let provider: ExactText
  public let tenant: ExactText
  public let subject: ExactText
  public let user: UserID
  public let email: ExactText?
  public let emailVerified: Bool?
  public let linkedAt: Timestamp
  public let linkedBy: LinkedBy
  public let lastSignInAt: Timestamp?

  public init(
    identity: IdentityID, namespace: Namespace, subject: ExactText, user: UserID, email: ExactText?,
    emailVerified: Bool?, linkedAt: Timestamp, linkedBy: LinkedBy, lastSignInAt: Timestamp?
  ) {
    self.identity = identity
    self.provider = ExactText(namespace.provider.rawValue)
    self.tenant = namespace.tenant
    self.subject = subject
    self.user = user
    self.email = email
    self.emailVerified = emailVerified
    self.linkedAt = linkedAt
    self.linkedBy = linkedBy
    self.lastSignInAt = lastSignInAt
  }

  /// Reads the columns that ``ListIdentities`` and ``GetIdentity`` select.
  init(_ row: inout RowReader) throws(PostgresError) {
    identity = try row.id()
    provider = try row.exactText()
    tenant = try row.exactText()
    subject = try row.exactText()
    user = try row.id()
    email = try row.optionalExactText()
    emailVerified = try row.optionalBool()
    linkedAt = try row.timestamp()
    linkedBy = try row.word()
    lastSignInAt = try row.optionalTimestamp()
  }
}
