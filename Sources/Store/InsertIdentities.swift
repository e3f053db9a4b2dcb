import Accounts
import Postgres

/// New identities.
public enum InsertIdentities {
  public struct Record: Sendable {
    public let identity: IdentityID
    public let key: StoredKey
    public let user: UserID
    public let email: ReportedEmail?
    public let linkedAt: Timestamp
    public let linkedBy: LinkedBy
    public let caller: CallerName

    public init(
      identity: IdentityID, key: StoredKey, user: UserID, email: ReportedEmail?, linkedAt: Timestamp,
      linkedBy: LinkedBy, caller: CallerName
    ) {
      self.identity = identity
      self.key = key
      self.user = user
      self.email = email
      self.linkedAt = linkedAt
      self.linkedBy = linkedBy
      self.caller = caller
    }
  }

  public static let statement = Statement<[Record], Void>(
    "insert_identities",
    """
    insert into kith.identities (id, namespace_id, subject, user_id, email, email_canonical, email_verified,
      is_private_email, linked_at, linked_by, linked_by_caller)
    select * from unnest($1::uuid[], $2::int4[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::bool[],
      $8::bool[], $9::timestamptz[], $10::text[], $11::text[])
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.key.namespace }, of: records)
    parameters.add(column: { $0.key.subject }, of: records)
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(optional: { $0.email?.address.asGiven }, of: records)
    parameters.add(optional: { $0.email?.address.canonical }, of: records)
    parameters.add(optional: { $0.email?.isVerified }, of: records)
    parameters.add(optional: { $0.email?.isPrivate }, of: records)
    parameters.add(column: { $0.linkedAt }, of: records)
    parameters.add(column: { $0.linkedBy.rawValue }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
  }
}
