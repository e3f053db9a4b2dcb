import Accounts
import Postgres

/// What providers say now of the addresses of identities.
public enum RecordIdentityEmails {
  public struct Record: Sendable {
    public let identity: IdentityID
    public let email: ReportedEmail

    public init(identity: IdentityID, email: ReportedEmail) {
      self.identity = identity
      self.email = email
    }
  }

  public static let statement = Statement<[Record], Void>(
    "record_identity_emails",
    """
    update kith.identities i
    set email = r.email, email_canonical = r.canonical, email_verified = r.verified, is_private_email = r.is_private
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bool[], $5::bool[])
      r (id, email, canonical, verified, is_private)
    where i.id = r.id
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.email.address.asGiven }, of: records)
    parameters.add(column: { $0.email.address.canonical }, of: records)
    parameters.add(column: { $0.email.isVerified }, of: records)
    parameters.add(optional: { $0.email.isPrivate }, of: records)
  }
}
