import Accounts
import Postgres

/// Locks, to the end of the transaction, the users whom sign-ins may concern: those of their identities and the holders of
/// their addresses.
///
/// Whoever changes a user holds this lock, so what is read after it stays true, and a user's events come in the order of
/// their numbers. All are locked in the order of their ids, in one statement, so that nobody waits in a ring.
public enum LockUsers {
  public struct Question: Sendable {
    public let key: StoredKey
    /// The canonical address in the claims.
    public let address: ExactText?

    public init(key: StoredKey, address: ExactText?) {
      self.key = key
      self.address = address
    }
  }

  public static let statement = Statement<[Question], UserID>(
    "lock_users",
    """
    with q as (
      select * from unnest($1::int4[], $2::text[], $3::text[]) q (namespace_id, subject, canonical)
    )
    select u.id from kith.users u
    where u.id in (
      select i.user_id from q join kith.identities i on i.namespace_id = q.namespace_id and i.subject = q.subject
      union all
      select e.user_id from q join kith.emails e on e.canonical = q.canonical and e.verified
    )
    order by u.id
    for no key update of u
    """,
    encode: { questions, parameters in
      parameters.add(column: { $0.key.namespace }, of: questions)
      parameters.add(column: { $0.key.subject }, of: questions)
      parameters.add(optional: { $0.address }, of: questions)
    },
    decode: { row throws(PostgresError) in try row.id() })
}
