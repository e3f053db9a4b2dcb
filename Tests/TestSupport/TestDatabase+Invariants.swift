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
          select from kith.events d where d.user_id = i.user_id and d.type = 'email.claim_dropped'
            and d.data->>'email' = i.email_canonical
        )
        and not exists (select from kith.emails e where e.canonical = i.email_canonical and e.verified)
      """
    ),
    (
      "a user was registered once",
      """
      select u.id::text from kith.users u
      where (select count(*) from kith.events v where v.user_id = u.id and v.type = 'user.registered') <> 1
      """
    ),
    (
      "an identity was told once, by a registration or a link, to the user who has it",
      """
      select i.subject from kith.identities i
      where (
        select count(*) from kith.events v
        where v.user_id = i.user_id and v.type in ('user.registered', 'identity.linked')
          and v.data->>'identity_id' = i.id::text
      ) <> 1
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
      where (l.type = 'email.verified' and not coalesce(e.verified, false))
        or (l.type <> 'email.verified' and coalesce(e.verified, false) and not exists (
          select from kith.identities i where i.user_id = l.user_id and i.email_canonical = l.email
            and i.linked_by = 'email'
        ))
      """
    ),
    (
      "a user has an identity",
      "select id::text from kith.users u where not exists (select from kith.identities i where i.user_id = u.id)"
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
