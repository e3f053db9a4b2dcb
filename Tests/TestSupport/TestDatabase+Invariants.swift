import Testing

extension TestDatabase {
  /// What must hold of the tables whatever happened, each a query that finds what breaks it.
  private static let violations: [(rule: String, query: StaticString)] = [
    (
      "an address has one verified holder",
      "select canonical from kith.emails where verified group by canonical having count(*) > 1"
    ),
    (
      "who vouches for an address is an identity of the same user that reports it as verified",
      """
      select e.canonical || ' of ' || e.user_id::text from kith.emails e
      where exists (
        select from unnest(e.vouched_by) v (id)
        where not exists (
          select from kith.identities i
          where i.id = v.id and i.user_id = e.user_id and i.email_canonical = e.canonical and i.email_verified
        )
      )
      """
    ),
    (
      "nobody vouches twice",
      """
      select canonical from kith.emails
      where cardinality(vouched_by) <> (select count(distinct v) from unnest(vouched_by) v)
      """
    ),
    (
      "the address of an identity is one of its user's, or was dropped when somebody else proved it",
      """
      select i.subject from kith.identities i
      where i.email_canonical is not null
        and not exists (select from kith.emails e where e.user_id = i.user_id and e.canonical = i.email_canonical)
        and not exists (
          select from kith.events d where d.type = 'email.claim_dropped' and d.data->>'email' = i.email_canonical
            and (d.user_id = i.user_id or exists (select from kith.merged_identities m where m.identity_id = i.id))
        )
        and not exists (select from kith.emails e where e.canonical = i.email_canonical and e.verified)
        -- Which addresses somebody held who was erased since is forgotten.
        and not exists (select from kith.users u where u.status = 'erased')
      """
    ),
    (
      "a user was registered once",
      """
      select u.id::text from kith.users u left join (
        select v.user_id, count(*) as times from kith.events v where v.type = 'user.registered' group by v.user_id
      ) told on told.user_id = u.id
      where coalesce(told.times, 0) <> 1
      """
    ),
    (
      "an identity was told once, by a registration or a link, to the user who has it",
      """
      select i.subject from kith.identities i left join (
        select v.data->>'identity_id' as identity, array_agg(v.user_id) as users
        from kith.events v where v.type in ('user.registered', 'identity.linked') group by 1
      ) told on told.identity = i.id::text
      where 1 <> coalesce(cardinality(case
        when exists (select from kith.merged_identities m where m.identity_id = i.id) then told.users
        else array(select u from unnest(told.users) u where u = i.user_id)
      end), 0)
      """
    ),
    (
      "the numbers of transactions tell the order of a user's events",
      """
      select o.user_id::text from (
        select v.user_id, v.xid, lag(v.xid) over (partition by v.user_id order by v.seq) as former
        from kith.events v where v.user_id is not null
      ) o where o.xid < o.former
      """
    ),
    (
      "what was told last of an address is how it stands",
      """
      select l.user_id::text || ' ' || l.email || ' ' || l.type from (
        select distinct on (v.user_id, v.data->>'email') v.user_id, v.data->>'email' as email, v.type
        from kith.events v where v.type in ('email.verified', 'email.unverified', 'email.claim_dropped')
        order by v.user_id, v.data->>'email', v.seq desc
      ) l
      left join kith.emails e on e.user_id = l.user_id and e.canonical = l.email
      where not exists (select from kith.merges m where l.user_id in (m.survivor, m.absorbed))
        and not exists (select from kith.users u where u.id = l.user_id and u.status = 'erased')
        and ((l.type = 'email.verified' and not coalesce(e.verified, false))
        or (l.type <> 'email.verified' and coalesce(e.verified, false) and not exists (
          select from kith.identities i where i.user_id = l.user_id and i.email_canonical = l.email
            and i.linked_by = 'email'
        )))
      """
    ),
    (
      // Who comes back from a merge may have lost theirs meanwhile.
      "a user has an identity",
      """
      select id::text from kith.users u
       where u.status in ('active', 'disabled') and not exists (select from kith.identities i where i.user_id = u.id)
         and not exists (select from kith.merges m where m.absorbed = u.id)
      """
    ),
    (
      "a merged user has nothing and leads to one who is not merged",
      """
      select u.id::text from kith.users u join kith.users s on s.id = u.merged_into
      where s.status = 'merged' or exists (select from kith.emails e where e.user_id = u.id)
      """
    ),
    (
      "who is merged is so by one merge that was not undone",
      """
      select u.id::text from kith.users u
      where u.status <> 'erased' and (u.status = 'merged') <> (
        1 = (select count(*) from kith.merges m where m.absorbed = u.id and m.state = 'done')
      )
      """
    ),
    (
      "a merge was told once, and its undo",
      """
      select m.id::text from kith.merges m left join (
        select v.data->>'merge_id' as merge, count(*) filter (where v.type = 'user.merged') as merged,
          count(*) filter (where v.type = 'user.unmerged') as undone
        from kith.events v where v.type in ('user.merged', 'user.unmerged') group by 1
      ) told on told.merge = m.id::text
      where coalesce(told.merged, 0) <> 1 or coalesce(told.undone, 0) <> (m.state = 'undone')::int
      """
    ),
    (
      "of a merge that was undone no address is kept",
      """
      select m.id::text from kith.merges m where m.state = 'undone' and (
        exists (select from kith.merged_emails j where j.merge_id = m.id)
        or exists (select from kith.merged_reports j where j.merge_id = m.id)
      )
      """
    ),
    (
      "an address that was removed is not the user's",
      """
      select r.canonical from kith.removed_emails r
        join kith.emails e on e.user_id = r.user_id and e.canonical = r.canonical
      """
    ),
    (
      // What a merge brought goes with its undo, and then it counts again.
      "what was unlinked and is the user's again is not kept from them",
      """
      select k.subject from kith.unlinked k join kith.identities i
        on i.namespace_id = k.namespace_id and i.subject = k.subject and i.user_id = k.user_id
      where i.linked_by <> 'merge'
      """
    ),
    (
      "a challenge is used once, and a token",
      """
      select c.id::text from kith.challenges c where c.used_at is not null
        and (
          select count(*) from kith.events v join kith.namespaces n on n.id = c.namespace_id
          where v.type = 'identity.linked' and v.data->>'linked_by' = 'confirm' and v.at = c.used_at
            and v.user_id = any (c.candidates)
        ) > 1
      """
    ),
    (
      "of an erased user there is nothing, whoever they led to or who led to them is erased, and it was told once",
      """
      select u.id::text from kith.users u where u.status = 'erased' and (
        exists (
          select from jsonb_each(to_jsonb(u) - array['id', 'status', 'merged_into', 'epoch', 'updated_at']) v
          where v.value not in ('null', '""', '{}')
        )
        or exists (select from kith.identities i where i.user_id = u.id)
        or exists (select from kith.emails e where e.user_id = u.id)
        or exists (select from kith.removed_emails r where r.user_id = u.id)
        or exists (select from kith.unlinked k where k.user_id = u.id)
        or exists (select from kith.credentials c where c.user_id = u.id)
        or exists (select from kith.registrations r where r.user_id = u.id)
        or exists (select from kith.challenges c where u.id = any (c.candidates))
        or exists (select from kith.request_keys a where a.user_id = u.id)
        or exists (select from kith.events v where u.id in (v.user_id, v.belongs_to) and (v.data->>'email') is not null)
        or exists (select from kith.credential_history h where h.user_id = u.id)
        or exists (
          select from kith.merged_emails j join kith.merges m on m.id = j.merge_id
          where u.id in (m.survivor, m.absorbed)
        )
        or exists (
          select from kith.users o where (o.merged_into = u.id or o.id = u.merged_into) and o.status <> 'erased'
        )
        or 1 <> (
          select count(*) from kith.events v
          where v.type = 'user.erased' and v.user_id = coalesce(u.merged_into, u.id)
        )
      )
      """
    ),
    (
      "a user's status is that of their identities",
      """
      select i.subject from kith.identities i join kith.users u on u.id = i.user_id where u.status <> i.user_status
      """
    ),
  ]

  /// Fails the test for every rule that the tables break.
  public func expectConsistency(_ comment: String = "") async throws {
    try await Self.expectConsistency(comment) { try await texts($0) }
  }

  /// The same of any database.
  ///
  /// - Parameter texts: gives the first column of a query's rows.
  public static func expectConsistency(
    _ comment: String = "", _ texts: (StaticString) async throws -> [String]
  ) async throws {
    for (rule, query) in violations {
      let found = try await texts(query)
      #expect(found.isEmpty, "\(rule) \(comment)")
    }
  }
}
