import Accounts
import Postgres

/// A user with all of their former ids for a change that concerns every one of them, locked to the end of the transaction as
/// ``LockUser`` locks one. Any of the ids means the same family.
public enum LockUserFamily {
  /// Adds the statements, and gives back how their results are read: the rows, and whether nobody among them is unlocked
  /// because they came in while the locks were waited for.
  public static func add(
    _ question: LockUser.Question, to pipeline: inout Pipeline
  ) -> (PipelineResults) throws(PostgresError) -> (users: [StoredUser], isComplete: Bool) {
    let locked = pipeline.add(names, question)
    let rows = pipeline.add(rows, question)
    return { results throws(PostgresError) in
      let locked = Set(try results.rows(of: locked))
      let users = try results.rows(of: rows)
      return (users, locked.isSuperset(of: users.map(\.user)))
    }
  }

  /// A lock that the transaction holds can be taken once more.
  private static let names = Statement<LockUser.Question, UserID>(
    "lock_user_family_names",
    """
    with survivor as (
      select coalesce(r.merged_into, r.id) as id from kith.users r
      where r.id = $1::uuid and (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
    ), concerned as materialized (
      select f.id, uuid_hash_extended(f.id, 0) as name from (
        select s.id from survivor s
        union
        select u.id from kith.users u join survivor s on u.merged_into = s.id
      ) f
      order by name
    )
    select c.id from concerned c where pg_advisory_xact_lock(c.name) is not null
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  private static let rows = Statement<LockUser.Question, StoredUser>(
    "lock_user_family",
    """
    with survivor as (
      select coalesce(r.merged_into, r.id) as id from kith.users r
      where r.id = $1::uuid and (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
    )
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge from kith.users u
    where u.id in (
      select s.id from survivor s
      union all
      select f.id from kith.users f join survivor s on f.merged_into = s.id
    )
    order by u.id
    for update of u
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try StoredUser(&row) })

  @Sendable
  private static func encode(_ question: LockUser.Question, _ parameters: inout Parameters) {
    parameters.add(question.user.unique)
    parameters.add(question.gate?.name)
  }
}
