import Accounts
import Postgres

/// A user's identities, in the order of their ids.
///
/// They are found first and put in order then: a plan that was made while the table was empty would else go through
/// everybody's in that order.
public enum ListIdentities {
  public struct Page: Sendable {
    public let user: UserID
    public let after: IdentityID?
    public let limit: Int32

    public init(user: UserID, after: IdentityID? = nil, limit: Int32) {
      self.user = user
      self.after = after
      self.limit = limit
    }
  }

  public static let statement = Statement<Page, IdentityRecord>(
    "list_identities",
    """
    select i.id, n.provider, n.tenant, i.subject, i.user_id, i.email, i.email_verified, i.linked_at, i.linked_by,
      coalesce(l.at, case when i.linked_by in ('register', 'email', 'confirm') then i.linked_at end)
    from (select * from kith.identities i where i.user_id = $1::uuid offset 0) i
    join kith.namespaces n on n.id = i.namespace_id
    left join kith.last_sign_ins l on l.identity_id = i.id
    where $2::uuid is null or i.id > $2::uuid
    order by i.id limit $3::int4
    """,
    encode: { page, parameters in
      parameters.add(page.user.unique)
      parameters.add(page.after?.unique)
      parameters.add(page.limit)
    },
    decode: { row throws(PostgresError) in try IdentityRecord(&row) })

  /// The first identities of each of several users.
  public static let ofSeveral = Statement<PartsOfUsers, (position: Int, identity: IdentityRecord)>(
    "list_identities_of_several",
    """
    select u.position, i.id, n.provider, n.tenant, i.subject, i.user_id, i.email, i.email_verified, i.linked_at,
      i.linked_by, coalesce(l.at, case when i.linked_by in ('register', 'email', 'confirm') then i.linked_at end)
    from unnest($1::uuid[]) with ordinality u (id, position)
    cross join lateral (
      select * from (select * from kith.identities i where i.user_id = u.id offset 0) i order by i.id limit $2::int4
    ) i
    join kith.namespaces n on n.id = i.namespace_id
    left join kith.last_sign_ins l on l.identity_id = i.id
    order by u.position, i.id
    """,
    encode: { parts, parameters in
      parameters.add(column: { $0.unique }, of: parts.users)
      parameters.add(parts.limit)
    },
    decode: { row throws(PostgresError) in (try row.position(), try IdentityRecord(&row)) })
}
