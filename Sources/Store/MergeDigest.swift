import Accounts
import Postgres

/// What a plan to merge two users is made from, as SHA-256: another once an identity, an address or what vouches for it, a
/// credential, a completed registration, or the status of either has changed; even if it was changed back, where that began a
/// new epoch. The same after a mere sign-in, and whichever of the two comes first.
public enum MergeDigest {
  public static let bytes = 32

  public static let statement = Statement<[UserID], [UInt8]>(
    "merge_digest",
    """
    select sha256(convert_to(coalesce(string_agg(s.told, E'\\n' order by s.kind, s.place), ''), 'UTF8')) from (
      select 1, u.id::text, json_build_array(u.id, u.status, u.epoch)::text
      from kith.users u where u.id = any ($1::uuid[])
      union all
      select 2, i.id::text, json_build_array(i.id, i.user_id, i.email, i.email_verified)::text
      from kith.identities i where i.user_id = any ($1::uuid[])
      union all
      select 3, e.user_id::text || e.canonical, json_build_array(
        e.user_id, e.canonical, e.email, array(select v from unnest(e.vouched_by) v order by v), e.vouched_by_token
      )::text
      from kith.emails e where e.user_id = any ($1::uuid[])
      union all
      select 4, c.id::text, json_build_array(c.id, c.user_id, c.version)::text
      from kith.credentials c where c.user_id = any ($1::uuid[])
      union all
      select 5, r.id::text, json_build_array(r.id, r.user_id)::text
      from kith.registrations r where r.user_id = any ($1::uuid[])
    ) s (kind, place, told)
    """,
    encode: { users, parameters in parameters.add(column: { $0.unique }, of: users) },
    decode: { row throws(PostgresError) in try row.require(try row.bytes().map { Array($0) }) })
}
