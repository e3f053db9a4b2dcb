import Accounts
import Postgres

/// Users by their ids, but none who is merged or erased.
public enum FindComparedUsers {
  public static let statement = Statement<[UserID], StoredUser>(
    "find_compared_users",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge
    from unnest($1::uuid[]) w (id) join kith.users u on u.id = w.id
    where u.status in ('active', 'disabled')
    """,
    encode: { users, parameters in parameters.add(column: { $0.unique }, of: users) },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
