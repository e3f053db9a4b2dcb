import Accounts
import Postgres

/// What is compared of users, of those of them who can be compared at all.
public enum FindDuplicateFacts {
  public typealias Row = (user: UserID, facts: DuplicateFacts)

  /// Of what a name is searched by only its own words are compared. Addresses of one user that are compared are 1,000 at most: more than any person has.
  public static let statement = Statement<[UserID], Row>(
    "find_duplicate_facts",
    """
    select u.id, split_part(u.search_name, chr(10), 1), u.match_birthday,
      array(select e.canonical from kith.emails e where e.user_id = u.id order by e.canonical limit 1000)
    from unnest($1::uuid[]) w (id) join kith.users u on u.id = w.id
    where u.status in ('active', 'disabled')
    """,
    encode: { users, parameters in parameters.add(column: { $0.unique }, of: users) },
    decode: { row throws(PostgresError) in
      let user: UserID = try row.id()
      let (name, birthday) = (try row.text(), try row.exactText())
      let facts = DuplicateFacts(
        name: SearchText(name).flatMap { MatchName($0) }, birthday: Birthday(stored: birthday),
        addresses: try row.texts().map { ExactText($0) })
      return (user, facts)
    })
}
