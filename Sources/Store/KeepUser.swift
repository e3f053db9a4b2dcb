import Accounts
import Postgres

/// Keeps a user, and their survivor if they were merged, as they are until the transaction ends: neither merged nor erased
/// nor disabled meanwhile. Others may keep the same user at the same time.
public enum KeepUser {
  public static let statement = Statement<LockUser.Question, StoredUser>(
    "keep_user",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge from kith.users u
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
      and u.id in (
        select $1::uuid
        union all
        select r.merged_into from kith.users r where r.id = $1::uuid
      )
    order by u.id
    for key share of u
    """,
    encode: { question, parameters in
      parameters.add(question.user.unique)
      parameters.add(question.gate?.name)
    },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
