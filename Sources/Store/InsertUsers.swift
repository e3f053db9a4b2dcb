import Accounts
import Postgres

/// New users.
public enum InsertUsers {
  public struct Record: Sendable {
    public let user: UserID
    public let profile: Profile

    public init(user: UserID, profile: Profile) {
      self.user = user
      self.profile = profile
    }
  }

  public static let statement = Statement<[Record], Void>(
    "insert_users",
    """
    insert into kith.users (id, profile, search_name)
    select * from unnest($1::uuid[], $2::json[], $3::text[])
    """
  ) { records, parameters in
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { ProfileText.write($0.profile) }, of: records)
    parameters.add(column: { $0.profile.searchName?.folded ?? "" }, of: records)
  }
}
