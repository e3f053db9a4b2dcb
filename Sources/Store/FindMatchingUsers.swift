import Accounts
import Postgres

/// Users who fit one of several searches, in the order of their ids.
///
/// Each search gives no more than a page and reads an index; one that is not asked for has NULL and reads nothing. Words of
/// a name are taken apart by PostgreSQL as the stored names were; each is quoted and becomes a beginning of a word. A merged
/// user keeps their name, for an undo, but is found by it only when merged users are asked for.
///
/// The index of names does not know the order of ids, so that a name which a fifth of the users have would be read whole for
/// every page. Therefore the next users in order are looked at first: a name so frequent fills a page from them.
public enum FindMatchingUsers {
  public struct Page: Sendable {
    public let forms: [UserSearchForm]
    public let status: UserStatus?
    public let after: UserID?
    public let limit: Int32

    public init(forms: [UserSearchForm], status: UserStatus?, after: UserID?, limit: Int32) {
      self.forms = forms
      self.status = status
      self.after = after
      self.limit = limit
    }
  }

  public static let statement = Statement<Page, StoredUser>(
    "find_matching_users",
    """
    with looked_for as materialized (
      select string_agg(
        '''' || replace(replace(w.lexeme, '\\', '\\\\'), '''', '''''') || ''':*', ' & '
      )::tsquery as name
      from unnest(to_tsvector('simple', $6::text)) w
    ), at_hand as materialized (
      select u.id
      from (
        select p.id, p.status, p.search_name from kith.users p where p.id > $7::uuid order by p.id limit 5000
      ) u
      where (select l.name from looked_for l) is not null
        and to_tsvector('simple', u.search_name) @@ (select l.name from looked_for l)
        and case when $8::text is null then u.status <> 'merged' else u.status = $8::text end
      order by u.id limit $9::int4
    ), named as materialized (
      select u.id from kith.users u
      where (select count(*) from at_hand) < $9::int4
        and u.search_name <> '' and to_tsvector('simple', u.search_name) @@ (select l.name from looked_for l)
        and u.id > $7::uuid
        and case when $8::text is null then u.status <> 'merged' else u.status = $8::text end
    ), hits as (
      (
        select u.id from kith.users u
        where u.id >= $1::uuid and u.id <= $2::uuid
          and u.id > $7::uuid and ($8::text is null or u.status = $8::text)
        order by u.id limit $9::int4
      ) union (
        select u.id from kith.emails e join kith.users u on u.id = e.user_id
        where e.canonical = $3::text and e.verified
          and u.id > $7::uuid and ($8::text is null or u.status = $8::text)
      ) union (
        select u.id from kith.emails e join kith.users u on u.id = e.user_id
        where e.canonical = $3::text and not e.verified
          and u.id > $7::uuid and ($8::text is null or u.status = $8::text)
        order by u.id limit $9::int4
      ) union (
        select distinct e.user_id from kith.emails e join kith.users u on u.id = e.user_id
        where split_part(e.canonical, '@', 2) = $4::text
          and e.user_id > $7::uuid and ($8::text is null or u.status = $8::text)
        order by e.user_id limit $9::int4
      ) union (
        select u.id
        from kith.namespaces n
          join kith.identities i on i.namespace_id = n.id and i.subject = $5::text
          join kith.users u on u.id = i.user_id
        where u.id > $7::uuid and ($8::text is null or u.status = $8::text)
        order by u.id limit $9::int4
      ) union (
        select a.id from at_hand a
      ) union (
        select n.id from named n order by n.id limit $9::int4
      )
    )
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge
    from (select h.id from hits h order by h.id limit $9::int4) h join kith.users u on u.id = h.id
    order by u.id
    """,
    encode: { page, parameters in
      let searches = Searches(page.forms)
      parameters.add(searches.ids?.lowerBound.unique)
      parameters.add(searches.ids?.upperBound.unique)
      parameters.add(searches.address)
      parameters.add(searches.domain)
      parameters.add(searches.subject)
      parameters.add(searches.name)
      parameters.add(page.after?.unique ?? UniqueID(high: 0, low: 0))
      parameters.add(page.status?.rawValue)
      parameters.add(page.limit)
    },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}

/// What each search looks for; nil for one that is not asked for.
private struct Searches {
  var ids: ClosedRange<UserID>?
  var address: ExactText?
  var domain: ExactText?
  var subject: ExactText?
  var name: ExactText?

  init(_ forms: [UserSearchForm]) {
    for form in forms {
      switch form {
      case .idPrefix(let range): ids = range
      case .address(let canonical): address = canonical
      case .domain(let canonical): domain = canonical
      case .subject(let exact): subject = exact.text
      case .name(let text): name = text.folded
      }
    }
  }
}
