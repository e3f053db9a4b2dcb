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
    insert into kith.users (id, profile, search_name, match_name, match_birthday)
    select * from unnest($1::uuid[], $2::json[], $3::text[], $4::text[], $5::text[])
    """
  ) { records, parameters in
    let keys = records.map { MatchKeys($0.profile) }
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { ProfileText.write($0.profile) }, of: records)
    parameters.add(column: { $0.profile.searchName ?? "" }, of: records)
    parameters.add(column: { $0.name }, of: keys)
    parameters.add(column: { $0.birthday }, of: keys)
  }
}
