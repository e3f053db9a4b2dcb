import Accounts
import Postgres

/// One user for a change: the row of the id and, if that user was merged, the survivor's, locked to the end of the
/// transaction in the order of their ids.
///
/// The lock is the strong one, because the status is part of a key that identities refer to.
public enum LockUser {
  public struct Question: Sendable {
    public let user: UserID
    /// What the transaction must hold already, or nobody is locked: who is told that the same call is running need not wait
    /// until it is done.
    public let gate: AdvisoryLock?

    public init(user: UserID, gate: AdvisoryLock?) {
      self.user = user
      self.gate = gate
    }
  }

  /// A lock that the transaction holds can be taken once more.
  public static let statement = Statement<Question, StoredUser>(
    "lock_user",
    """
    select u.id, u.status, u.merged_into, u.profile from kith.users u
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
      and u.id in (
        select $1::uuid
        union all
        select r.merged_into from kith.users r where r.id = $1::uuid
      )
    order by u.id
    for update of u
    """,
    encode: { question, parameters in
      parameters.add(question.user.unique)
      parameters.add(question.gate?.name)
    },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
