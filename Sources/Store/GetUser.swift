import Accounts
import Postgres

/// One user as they are stored, without what belongs to them.
public struct StoredUser: Sendable {
  public let user: UserID
  public let status: UserStatus
  /// The survivor, for a merged user.
  public let survivor: UserID?
  public let profile: Profile
  /// The merge that disabled them, if it was one and nobody has confirmed it since.
  public let disabledByMerge: MergeID?

  init(_ row: inout RowReader) throws(PostgresError) {
    user = try row.id()
    status = try row.word()
    survivor = try row.optionalID()
    profile = try ProfileText.read(try row.text())
    disabledByMerge = try row.optionalID()
  }
}

/// A user by id.
public enum GetUser {
  public static let statement = Statement<UserID, StoredUser>(
    "get_user",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge from kith.users u where u.id = $1::uuid
    """,
    encode: { user, parameters in parameters.add(user.unique) },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
