import Accounts
import Postgres

extension FindSharers {
  /// Names with a birthday: most users stand in no such index, and names that thousands share are small groups in it.
  static let ofNamesAndBirthdays = Statement<Start, Row>(
    "find_sharers_of_names_and_birthdays",
    """
    with page as materialized (
      select left(s.match_birthday, 5) || ' ' || s.match_name as key, s.id as user_id,
        row_number() over (order by s.match_name, s.match_birthday, s.id) - 1 as place
      from (
        select u.match_name, u.match_birthday, u.id from kith.users u
        where u.match_name <> '' and u.match_birthday <> '' and u.status in ('active', 'disabled')
          and (u.match_name, u.match_birthday, u.id) > ($1::text, $2::text, $3::uuid)
        order by u.match_name, u.match_birthday, u.id limit 4000
      ) s limit $4::int8
    ), found as materialized (
      select p.key, min(p.place) as place, count(*) > 20 as is_crowded, array_agg(p.user_id) as users
      from page p group by p.key
    ), cut as materialized (
      select f.key, f.place, f.is_crowded from found f
      where (select count(*) from page) = $4::int8 order by f.place desc limit 1
    )
    select f.place, f.key, case when f.is_crowded then '{}' else f.users end, f.is_crowded, false
    from found f
    where cardinality(f.users) > 1 and f.key is distinct from (select c.key from cut c where not c.is_crowded)
    union all
    select coalesce((select c.place from cut c where not c.is_crowded), (select count(*) from page)),
      (select c.key from cut c), '{}', coalesce((select c.is_crowded from cut c), false), true
    order by 5, 1
    """,
    encode: { start, parameters in
      let parts = NameAndDay(start.text)
      parameters.add(parts.name)
      // With a year or without it: both come before this.
      parameters.add(start.isBehind ? ExactText("\(parts.day.string)~") : parts.day)
      parameters.add(UniqueID(high: 0, low: 0))
      parameters.add(start.entries)
    }, decode: decode)
}

/// A key of a name with a birthday, taken apart again: `MM-DD`, a space, and the name's key.
struct NameAndDay {
  let name: ExactText
  let day: ExactText

  init(name: ExactText, day: ExactText) {
    self.name = name
    self.day = day
  }

  /// Of a text that is no such key, the day may be anything and the name empty.
  init(_ text: ExactText) {
    let parts = text.string.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    day = ExactText(parts.first.map { String($0) } ?? "")
    name = ExactText(parts.count == 2 ? String(parts[1]) : "")
  }
}
