import Accounts
import EventLoop
import Postgres

/// What is stored of one identity, as far as a sign-in needs it.
public struct FoundIdentity: Sendable {
  public let identity: IdentityID
  public let user: UserID
  public let status: UserStatus
  /// As given; its canonical form is computed when it is needed.
  public let email: ExactText?
  public let emailVerified: Bool
  public let isPrivateEmail: Bool?
  public let linkedAt: Timestamp
  public let linkedBy: LinkedBy
}

/// Identities by their keys, as many as are asked for at the time; each from the primary key's index alone.
public enum FindIdentities {
  public static let statement = Statement<[StoredKey], (position: Int, found: FoundIdentity)>(
    "find_identities",
    """
    select k.position, i.id, i.user_id, i.user_status, i.email, i.email_verified, i.is_private_email,
      i.linked_at, i.linked_by
    from unnest($1::int4[], $2::text[]) with ordinality k (namespace_id, subject, position)
    join kith.identities i on i.namespace_id = k.namespace_id and i.subject = k.subject
    """,
    encode: { keys, parameters in
      parameters.add(column: { $0.namespace }, of: keys)
      parameters.add(column: { $0.subject }, of: keys)
    },
    decode: { row throws(PostgresError) in
      let position = try row.position()
      let found = FoundIdentity(
        identity: try row.id(), user: try row.id(), status: try row.word(), email: try row.optionalExactText(),
        emailVerified: try row.optionalBool() ?? false, isPrivateEmail: try row.optionalBool(),
        linkedAt: try row.timestamp(), linkedBy: try row.word())
      return (position, found)
    })
}

/// Identities for many sign-ins at once; 32 of them in one statement cost PostgreSQL less than a third of 32 statements.
public typealias IdentityLookup = GatheredLookup<StoredKey, FoundIdentity>

extension IdentityLookup {
  public convenience init(on loop: EventLoop, from pool: Pool) {
    self.init(FindIdentities.statement, batchLookupsMax: 256, on: loop, from: pool)
  }
}
