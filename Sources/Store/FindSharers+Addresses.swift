import Postgres

extension FindSharers {
  /// Addresses that are claimed, and who holds them as verified: of two who share one, at most one holds it.
  static let ofAddresses = Statement<Start, Row>(
    "find_sharers_of_addresses",
    """
    with page as materialized (
      select s.canonical as key, s.user_id, row_number() over (order by s.canonical, s.user_id) - 1 as place
      from (
        select e.canonical, e.user_id from kith.emails e
        where not e.verified and (e.canonical, e.user_id) > ($1::text, $2::uuid)
        order by e.canonical, e.user_id limit 4000
      ) s limit $3::int8
    ), found as materialized (
      select p.key, min(p.place) as place, count(*) as claims, array_agg(p.user_id) as users from page p group by p.key
    ), cut as materialized (
      select f.key, f.place, f.claims > 20 as is_crowded from found f
      where (select count(*) from page) = $3::int8 order by f.place desc limit 1
    ), shared as (
      select f.key, f.place, f.claims + (h.user_id is not null)::int4 > 20 as is_crowded,
        case when h.user_id is null then f.users else f.users || h.user_id end as users
      from found f left join lateral (
        select e.user_id from kith.emails e where e.canonical = f.key and e.verified limit 1
      ) h on true
      where f.claims > 1 or h.user_id is not null
    )
    select s.place, s.key, case when s.is_crowded then '{}' else s.users end, s.is_crowded, false
    from shared s where s.key is distinct from (select c.key from cut c where not c.is_crowded)
    union all
    select coalesce((select c.place from cut c where not c.is_crowded), (select count(*) from page)),
      (select c.key from cut c), '{}', coalesce((select c.is_crowded from cut c), false), true
    order by 5, 1
    """,
    encode: { start, parameters in
      parameters.add(start.text)
      parameters.add(start.user)
      parameters.add(start.entries)
    }, decode: decode)
}
