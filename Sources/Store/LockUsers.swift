import Accounts
import Postgres

/// Locks, to the end of the transaction, the users whom sign-ins and changes may concern: those of identities and those off
/// whom they were taken, the holders of addresses, those who lose a claim when an address is proved, and whoever is named,
/// with the survivor if they were merged.
///
/// Whoever changes a user holds this lock (see ``LockUser``), so what is read after it stays true. It is an advisory one,
/// taken in one order and before anything is written: so nobody waits in a ring, and a transaction gets its number only when
/// it has all its locks. Therefore the numbers of transactions tell the order of one user's events.
public enum LockUsers {
  public struct Question: Sendable {
    public let key: StoredKey?
    /// The canonical address in the claims.
    public let address: ExactText?
    /// Whether the address would be proved, and so taken from those who only claim it.
    public let isVouchedFor: Bool
    public let user: UserID?

    public init(
      key: StoredKey? = nil, address: ExactText? = nil, isVouchedFor: Bool = false, user: UserID? = nil
    ) {
      self.key = key
      self.address = address
      self.isVouchedFor = isVouchedFor
      self.user = user
    }
  }

  public struct Questions: Sendable {
    public let all: [Question]
    /// What the transaction must hold already, or nobody is locked; see ``LockUser``.
    public let gate: AdvisoryLock?

    public init(_ all: [Question], gate: AdvisoryLock? = nil) {
      self.all = all
      self.gate = gate
    }
  }

  /// What was locked.
  public static let statement = Statement<Questions, UserID>(
    "lock_users",
    """
    with q as (
      select * from unnest($1::int4[], $2::text[], $3::text[], $4::bool[], $5::uuid[])
        q (namespace_id, subject, canonical, is_proved, user_id)
      where (select $6::int8 is null or pg_try_advisory_xact_lock($6::int8))
    ), concerned as materialized (
      select c.user_id, uuid_hash_extended(c.user_id, 0) as name from (
        select i.user_id from q join kith.identities i on i.namespace_id = q.namespace_id and i.subject = q.subject
        union
        select e.user_id from q join kith.emails e on e.canonical = q.canonical and e.verified
        union
        select e.user_id from q join kith.emails e on e.canonical = q.canonical and not e.verified where q.is_proved
        union
        select k.user_id from q join kith.unlinked k on k.namespace_id = q.namespace_id and k.subject = q.subject
        union
        select u.id from q join kith.users u on u.id = q.user_id
        union
        select u.merged_into from q join kith.users u on u.id = q.user_id where u.merged_into is not null
      ) c
      order by name
    )
    select c.user_id from concerned c where pg_advisory_xact_lock(c.name) is not null
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// Whom they concern once that is done. Somebody who was not locked has come in between: then all is to be begun again.
  public static let concerned = Statement<Questions, UserID>(
    "concerned_users",
    """
    with q as (
      select * from unnest($1::int4[], $2::text[], $3::text[], $4::bool[], $5::uuid[])
        q (namespace_id, subject, canonical, is_proved, user_id)
      where (select $6::int8 is null or pg_try_advisory_xact_lock($6::int8))
    )
    select i.user_id from q join kith.identities i on i.namespace_id = q.namespace_id and i.subject = q.subject
    union
    select e.user_id from q join kith.emails e on e.canonical = q.canonical and e.verified
    union
    select e.user_id from q join kith.emails e on e.canonical = q.canonical and not e.verified where q.is_proved
    union
    select k.user_id from q join kith.unlinked k on k.namespace_id = q.namespace_id and k.subject = q.subject
    union
    select u.id from q join kith.users u on u.id = q.user_id
    union
    select u.merged_into from q join kith.users u on u.id = q.user_id where u.merged_into is not null
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  @Sendable
  private static func encode(_ questions: Questions, _ parameters: inout Parameters) {
    parameters.add(optional: { $0.key?.namespace }, of: questions.all)
    parameters.add(optional: { $0.key?.subject }, of: questions.all)
    parameters.add(optional: { $0.address }, of: questions.all)
    parameters.add(column: { $0.isVouchedFor }, of: questions.all)
    parameters.add(optional: { $0.user?.unique }, of: questions.all)
    parameters.add(questions.gate?.name)
  }
}
