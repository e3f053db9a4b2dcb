import Postgres

extension FindSharers {
  /// Mailboxes that somebody's address leads to with a tag or dots in it, and who has the address of the mailbox itself.
  ///
  /// A user may have several addresses of one mailbox.
  static let ofMailboxes = Statement<Start, Row>(
    "find_sharers_of_mailboxes",
    """
    with page as materialized (
      select s.key, s.user_id, row_number() over (order by s.key, s.user_id) - 1 as place
      from (
        select kith.mailbox(e.canonical) as key, e.user_id from kith.emails e
        where kith.mailbox(e.canonical) <> e.canonical
          and (kith.mailbox(e.canonical), e.user_id) > ($1::text, $2::uuid)
        order by kith.mailbox(e.canonical), e.user_id limit 4000
      ) s limit $3::int8
    ), found as materialized (
      select p.key, min(p.place) as place, count(*) > 400 as is_long, array_agg(distinct p.user_id) as users
      from page p group by p.key
    ), cut as materialized (
      select f.key, f.place, f.is_long or cardinality(f.users) > 20 as is_crowded from found f
      where (select count(*) from page) = $3::int8 order by f.place desc limit 1
    ), shared as (
      select f.key, f.place, f.is_long or cardinality(h.users) > 20 as is_crowded, h.users
      from found f cross join lateral (
        select array_agg(x.id) as users
        from (
          select unnest(f.users) as id
          union (select e.user_id from kith.emails e where e.canonical = f.key and e.verified limit 1)
          union (
            select e.user_id from kith.emails e where e.canonical = f.key and not e.verified
            order by e.user_id limit 21
          )
        ) x
      ) h
      where f.is_long or cardinality(h.users) > 1
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
