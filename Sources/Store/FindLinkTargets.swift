import Accounts
import Postgres

/// Users to whom identities are to be attached, with the survivors of those who were merged. To be read once they are locked.
public enum FindLinkTargets {
  public struct Found: Sendable {
    public let user: StoredUser
    public let epoch: Int64

    public var target: LinkTarget {
      LinkTarget(user: user.user, status: user.status, profile: user.profile, epoch: epoch)
    }
  }

  public static let statement = Statement<[UserID], Found>(
    "find_link_targets",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge, u.epoch::int8 from kith.users u
    where u.id in (
      select unnest($1::uuid[])
      union
      select m.merged_into from kith.users m where m.id = any ($1::uuid[])
    )
    """,
    encode: { users, parameters in parameters.add(column: { $0.unique }, of: users) },
    decode: { row throws(PostgresError) in
      let user = try StoredUser(&row)
      return Found(user: user, epoch: try row.integer())
    })
}
