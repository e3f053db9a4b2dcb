import Accounts
import Postgres

/// One user for a change: the row of the id and, if that user was merged, the survivor's, locked to the end of the
/// transaction in the order of their ids.
///
/// The lock is the strong one, because the status is part of a key that identities refer to.
public enum LockUser {
  public static let statement = Statement<UserID, StoredUser>(
    "lock_user",
    """
    select u.id, u.status, u.merged_into, u.profile from kith.users u
    where u.id in (
      select $1::uuid
      union all
      select r.merged_into from kith.users r where r.id = $1::uuid
    )
    order by u.id
    for update of u
    """,
    encode: { user, parameters in parameters.add(user.unique) },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
