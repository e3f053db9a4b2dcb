import Accounts
import Postgres

extension DropExpired {
  /// Credentials that expired before a moment, each told in the history; one that somebody works on stays until the next
  /// time.
  public static let credentials = Statement<Batch, Void>(
    "drop_credentials",
    """
    with dropped as (
      delete from kith.credentials c where c.id = any (array(
        select e.id from kith.credentials e where e.expires_at < $1::timestamptz
        order by e.expires_at limit $2::int4
        for update skip locked
      ))
      returning c.id, c.version, c.access_group, c.account, c.service, c.user_id
    )
    insert into kith.credential_history (credential_id, version, access_group, account, service, action, at, change_id,
      user_id)
    select d.id,
      greatest(d.version, (select max(h.version) from kith.credential_history h where h.credential_id = d.id)) + 1,
      d.access_group, d.account, d.service, 'expire', $1::timestamptz, gen_random_uuid(), d.user_id
    from dropped d
    """,
    encode: encode)
}
