import Accounts
import Postgres

/// One user for a change: the row of the id and, if that user was merged, the survivor's, locked to the end of the
/// transaction.
///
/// First the lock that ``LockUsers`` takes, then the rows in the order of their ids, by the strong lock, because the status is
/// part of a key that identities refer to.
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

  /// Adds the statements, and gives back how their results are read. A survivor to whom the user was merged just now is not
  /// among them.
  ///
  /// Whoever locks others as well does that by ``LockUsers``, all in one statement, and then takes ``rows``.
  public static func add(
    _ question: Question, to pipeline: inout Pipeline
  ) -> (PipelineResults) throws(PostgresError) -> [StoredUser] {
    let locked = pipeline.add(names, question)
    let rows = pipeline.add(rows, question)
    return { results throws(PostgresError) in
      let locked = Set(try results.rows(of: locked))
      return try results.rows(of: rows).filter { locked.contains($0.user) }
    }
  }

  /// A lock that the transaction holds can be taken once more.
  private static let names = Statement<Question, UserID>(
    "lock_user_name",
    """
    with concerned as materialized (
      select u.id, uuid_hash_extended(u.id, 0) as name from kith.users u
      where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
        and u.id in (
          select $1::uuid
          union all
          select r.merged_into from kith.users r where r.id = $1::uuid
        )
      order by name
    )
    select c.id from concerned c where pg_advisory_xact_lock(c.name) is not null
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// The rows alone.
  public static let rows = Statement<Question, StoredUser>(
    "lock_user",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge from kith.users u
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
      and u.id in (
        select $1::uuid
        union all
        select r.merged_into from kith.users r where r.id = $1::uuid
      )
    order by u.id
    for update of u
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try StoredUser(&row) })

  @Sendable
  private static func encode(_ question: Question, _ parameters: inout Parameters) {
    parameters.add(question.user.unique)
    parameters.add(question.gate?.name)
  }
}
