import Postgres

extension FindSharers {
  /// Names, where one of those who share it hides an address, or where it may be Korean and stands there in both scripts:
  /// a name by itself is no reason. Only of these few is more read than the index.
  static let ofNames = Statement<Start, Row>(
    "find_sharers_of_names",
    """
    with page as materialized (
      select s.match_name as key, s.id as user_id, row_number() over (order by s.match_name, s.id) - 1 as place
      from (
        select u.match_name, u.id from kith.users u
        where u.match_name <> '' and u.status in ('active', 'disabled') and (u.match_name, u.id) > ($1::text, $2::uuid)
        order by u.match_name, u.id limit 4000
      ) s limit $3::int8
    ), found as materialized (
      select p.key, min(p.place) as place, count(*) > 20 as is_crowded, array_agg(p.user_id) as users
      from page p group by p.key
    ), cut as materialized (
      select f.key, f.place, f.is_crowded from found f
      where (select count(*) from page) = $3::int8 order by f.place desc limit 1
    )
    select f.place, f.key, case when f.is_crowded then '{}' else f.users end, f.is_crowded, false
    from found f
    where cardinality(f.users) > 1 and f.key is distinct from (select c.key from cut c where not c.is_crowded)
      and case
        when f.is_crowded then true
        when f.key like '~%' and (
          select count(distinct ascii(u.search_name) between 44032 and 55203) from kith.users u where u.id = any(f.users)
        ) > 1 then true
        else exists (
          select from kith.emails e
          where split_part(e.canonical, '@', 2) = 'privaterelay.appleid.com' and e.user_id = any(f.users)
        )
      end
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
