import Accounts
import Postgres

/// Which of some keys more than ``FindSharers/sharersMax`` users share, by the same rules as ``FindSharers``; of each, no
/// more entries are read than it takes to see that.
public enum FindCrowdedKeys {
  /// The rows are indices of the keys that were asked about.
  public static let statement = Statement<[DuplicateKey], Int>(
    "find_crowded_keys",
    """
    select k.number - 1
    from unnest($1::int4[], $2::text[], $3::text[]) with ordinality k (kind, key, day, number)
    where case k.kind
      when 1 then (
        select count(*) > 20
        from (
          (select 1 from kith.emails e where e.canonical = k.key and not e.verified limit 21)
          union all (select 1 from kith.emails e where e.canonical = k.key and e.verified limit 1)
        ) s
      )
      when 2 then (
        select count(*) filter (where s.is_led_to) > 400 or count(distinct s.user_id) > 20
        from (
          (
            select e.user_id, true as is_led_to from kith.emails e
            where kith.mailbox(e.canonical) = k.key and kith.mailbox(e.canonical) <> e.canonical limit 401
          )
          union all (select e.user_id, false from kith.emails e where e.canonical = k.key and e.verified limit 1)
          union all (select e.user_id, false from kith.emails e where e.canonical = k.key and not e.verified limit 21)
        ) s
      )
      when 3 then (
        select count(*) > 20
        from (
          select 1 from kith.users u
          where u.match_name = k.key and u.match_birthday >= k.day and u.match_birthday < k.day || '~'
            and u.match_name <> '' and u.match_birthday <> '' and u.status in ('active', 'disabled')
          limit 21
        ) s
      )
      else (
        select count(*) > 20
        from (
          select 1 from kith.users u
          where u.match_name = k.key and u.match_name <> '' and u.status in ('active', 'disabled') limit 21
        ) s
      )
    end
    """,
    encode: { keys, parameters in
      let parts = keys.map { key in
        key.kind == .nameAndBirthday ? NameAndDay(key.text) : NameAndDay(name: key.text, day: "")
      }
      parameters.add(column: { Int32($0.kind.rawValue) }, of: keys)
      parameters.add(column: { $0.name }, of: parts)
      parameters.add(column: { $0.day }, of: parts)
    },
    decode: { row throws(PostgresError) in try row.integer() })
}
