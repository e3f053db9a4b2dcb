import Accounts
import Postgres

/// The users off whom identities were taken, as long as nothing has brought them back.
public enum FindFormerUsers {
  public typealias Found = (position: Int, user: AddressHolder)

  /// Of each identity the last who is active, or else disabled. Of those who were merged the survivor has a mark as well.
  public static let statement = Statement<[StoredKey], Found>(
    "find_former_users",
    """
    select q.position, u.id, u.status, u.profile, u.epoch::int8, array(
        select distinct n.provider from kith.identities i join kith.namespaces n on n.id = i.namespace_id
        where i.user_id = u.id order by n.provider
      )
    from unnest($1::int4[], $2::text[]) with ordinality q (namespace_id, subject, position)
    cross join lateral (
      select f.id, f.status, f.profile, f.epoch from kith.unlinked k join kith.users f on f.id = k.user_id
      where k.namespace_id = q.namespace_id and k.subject = q.subject and f.status in ('active', 'disabled')
      order by f.status, k.at desc, f.id limit 1
    ) u
    """,
    encode: { keys, parameters in
      parameters.add(column: { $0.namespace }, of: keys)
      parameters.add(column: { $0.subject }, of: keys)
    },
    decode: { row throws(PostgresError) in
      (try row.position(), try row.addressHolder())
    })
}
