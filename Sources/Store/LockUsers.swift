import Accounts
import Postgres

/// Locks, to the end of the transaction, the users whom sign-ins may concern: those of their identities, the holders of
/// their addresses, and those who lose a claim when an address is proved.
///
/// Whoever changes a user holds this lock (see ``LockUser``), so what is read after it stays true. It is an advisory one,
/// taken in one order and before anything is written: so nobody waits in a ring, and a transaction gets its number only when
/// it has all its locks. Therefore the numbers of transactions tell the order of one user's events.
public enum LockUsers {
  public struct Question: Sendable {
    public let key: StoredKey
    /// The canonical address in the claims.
    public let address: ExactText?
    /// Whether the address would be proved, and so taken from those who only claim it.
    public let isVouchedFor: Bool

    public init(key: StoredKey, address: ExactText?, isVouchedFor: Bool) {
      self.key = key
      self.address = address
      self.isVouchedFor = isVouchedFor
    }
  }

  /// What was locked.
  public static let statement = Statement<[Question], UserID>(
    "lock_users",
    """
    with q as (
      select * from unnest($1::int4[], $2::text[], $3::text[], $4::bool[]) q (namespace_id, subject, canonical, is_proved)
    ), concerned as materialized (
      select c.user_id, uuid_hash_extended(c.user_id, 0) as name from (
        select i.user_id from q join kith.identities i on i.namespace_id = q.namespace_id and i.subject = q.subject
        union
        select e.user_id from q join kith.emails e on e.canonical = q.canonical and e.verified
        union
        select e.user_id from q join kith.emails e on e.canonical = q.canonical and not e.verified where q.is_proved
      ) c
      order by name
    )
    select c.user_id from concerned c where pg_advisory_xact_lock(c.name) is not null
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// Whom they concern once that is done. Somebody who was not locked has come in between: then all is to be begun again.
  public static let concerned = Statement<[Question], UserID>(
    "concerned_users",
    """
    with q as (
      select * from unnest($1::int4[], $2::text[], $3::text[], $4::bool[]) q (namespace_id, subject, canonical, is_proved)
    )
    select i.user_id from q join kith.identities i on i.namespace_id = q.namespace_id and i.subject = q.subject
    union
    select e.user_id from q join kith.emails e on e.canonical = q.canonical and e.verified
    union
    select e.user_id from q join kith.emails e on e.canonical = q.canonical and not e.verified where q.is_proved
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  @Sendable
  private static func encode(_ questions: [Question], _ parameters: inout Parameters) {
    parameters.add(column: { $0.key.namespace }, of: questions)
    parameters.add(column: { $0.key.subject }, of: questions)
    parameters.add(optional: { $0.address }, of: questions)
    parameters.add(column: { $0.isVouchedFor }, of: questions)
  }
}
