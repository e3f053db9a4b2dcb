import Accounts
import Postgres

/// Users' profiles as they are from now on.
public enum UpdateProfiles {
  public struct Record: Sendable {
    public let user: UserID
    public let profile: Profile
    public let at: Timestamp

    public init(user: UserID, profile: Profile, at: Timestamp) {
      self.user = user
      self.profile = profile
      self.at = at
    }
  }

  public static let statement = Statement<[Record], Void>(
    "update_profiles",
    """
    update kith.users u set profile = r.profile, search_name = r.search_name, match_name = r.match_name,
      match_birthday = r.match_birthday, updated_at = r.at
    from unnest($1::uuid[], $2::json[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
      r (id, profile, search_name, match_name, match_birthday, at)
    where u.id = r.id
    """
  ) { records, parameters in
    let keys = records.map { MatchKeys($0.profile) }
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { ProfileText.write($0.profile) }, of: records)
    parameters.add(column: { $0.profile.searchName ?? "" }, of: records)
    parameters.add(column: { $0.name }, of: keys)
    parameters.add(column: { $0.birthday }, of: keys)
    parameters.add(column: { $0.at }, of: records)
  }
}
