/// The data of this run: loading it, and checking afterwards that every call did its work.
struct BenchDatabase {
  private let programs: PostgresPrograms
  let namespaces: Namespaces

  /// Loading ten million users takes minutes; hours mean that something is wrong.
  private static let loadSecondsMax = 7200.0

  init(_ programs: PostgresPrograms) throws(BenchFailure) {
    self.programs = programs
    func ids(of provider: String) throws(BenchFailure) -> [Int] {
      try programs.psql(
        "select id from kith.namespaces where provider = '\(provider)' order by tenant", user: "kith_owner"
      ).split(separator: "\n").compactMap { Int($0) }
    }
    let apple = try ids(of: "apple")
    let linkedin = try ids(of: "linkedin")
    guard apple.count == 1, linkedin.count == LoadRange.linkTenants else {
      throw BenchFailure("kithd has not made the namespaces of its configuration")
    }
    namespaces = Namespaces(apple: apple[0], linkedin: linkedin)
  }

  /// Without the checks of foreign keys, which hold by construction; in the order of the keys, as after a reindex.
  func load(users: Int) throws(BenchFailure) {
    let script = """
      set session_replication_role = replica;
      set synchronous_commit = off;
      set search_path = kith;
      insert into users (id, profile, search_name, match_name)
      select ('01' || q || '70008000000000000001')::uuid,
        ('{"name":{"given":"Mira' || 100 + q % 900 || '","family":"Okafor' || 100 + q % 890 || '"}}')::json,
        'mira' || 100 + q % 900 || ' okafor' || 100 + q % 890, 'mira' || 100 + q % 900 || ' okafor' || 100 + q % 890
      from generate_series(\(LoadRange.firstKey), \(LoadRange.firstKey + users - 1)) q;
      insert into identities (namespace_id, subject, user_id, id, email, email_canonical, email_verified, linked_at,
        linked_by, linked_by_caller)
      select \(namespaces.apple), subject,
        ('01' || q || '70008000000000000001')::uuid, ('01' || q || '70008000000000000002')::uuid,
        'user' || q || '@example.org', 'user' || q || '@example.org', true, now(), 'register', 'bench'
      from (
        select q, 100000 + q % 900000 * 7919 % 900000 || '.c04e11d27fb84aa9b7d5f2' || q || '.1933' subject
        from generate_series(\(LoadRange.firstKey)::bigint, \(LoadRange.firstKey + users - 1)) q
      ) keys
      order by subject collate "C";
      insert into emails (user_id, canonical, email, added_at, vouched_by)
      select ('01' || q || '70008000000000000001')::uuid, 'user' || q || '@example.org', 'user' || q || '@example.org',
        now(), array[('01' || q || '70008000000000000002')::uuid]
      from generate_series(\(LoadRange.firstKey), \(LoadRange.firstKey + users - 1)) q;
      vacuum (analyze) users, identities, emails;
      checkpoint;
      """
    try programs.psql(script, user: "postgres", seconds: Self.loadSecondsMax)
  }

  /// Couples of users with a name each: the first has two identities and addresses, the second as many as are to come with a
  /// merge. A key of the range stands for a couple.
  func loadCouples(_ range: LoadRange) throws(BenchFailure) {
    let script = """
      set session_replication_role = replica;
      set synchronous_commit = off;
      set search_path = kith;
      create temporary table people as
      select q, u, ('01' || q || '7000800000000000000' || u)::uuid as id,
        case u when 1 then 2 else \(range.identitiesMoved) end as identities
      from generate_series(\(range.base)::bigint, \(range.base + range.users - 1)) q, generate_series(1, 2) u;
      insert into users (id, profile, search_name, match_name)
      select id, ('{"name":{"given":"Mira' || 100 + q % 900 || '","family":"Okafor' || 100 + q % 890 || '"}}')::json,
        'mira' || 100 + q % 900 || ' okafor' || 100 + q % 890, 'mira' || 100 + q % 900 || ' okafor' || 100 + q % 890
      from people;
      create temporary table links as
      select q, u, j, p.id as user_id, ('01' || q || '7000800' || u || lpad(j::text, 12, '0'))::uuid as id,
        'user' || q || '-' || u || '-' || j || '@\(range.domain)' as email
      from people p, generate_series(1, p.identities) j;
      insert into identities (namespace_id, subject, user_id, id, email, email_canonical, email_verified, linked_at,
        linked_by, linked_by_caller)
      select case j % 2 when 1 then \(namespaces.apple) else \(namespaces.linkedin[0]) end,
        100000 + q % 900000 * 7919 % 900000 || '.c04e11d27fb84aa9b7d5f2' || q || '.' || u * 1000 + j,
        user_id, id, email, email, true, now(), 'link', 'bench'
      from links;
      insert into emails (user_id, canonical, email, added_at, vouched_by)
      select user_id, email, email, now(), array[id] from links;
      checkpoint;
      """
    try programs.psql(script, user: "postgres")
  }

  /// Gives every event its place, and forgets how far anybody has followed them.
  ///
  /// - Returns: the last place.
  func placeEvents() throws(BenchFailure) -> Int {
    let script = "delete from kith.consumers; select last_place from kith.place_events(1000000000);"
    let place = try programs.psql(script, user: "kith_owner")
    guard let place = Int(place) else { throw BenchFailure("events have no last place: \(place)") }
    return place
  }

  /// What was written so far is on the disk, and the next measurement starts without that debt.
  func settle() throws(BenchFailure) {
    let tables = ["emails", "identities", "users", "registrations", "credentials", "events"].map { "kith.\($0)" }
    try programs.psql("vacuum (analyze) \(tables.joined(separator: ", ")); checkpoint;", user: "postgres")
  }

  /// Checks that `calls` calls left all rows that belong to each.
  func verify(_ load: Load, _ range: LoadRange, calls: Int) throws(BenchFailure) {
    let script: String
    switch load {
    case .known, .secret, .plan: return
    case .link:
      script = """
        select count(distinct i.id) from kith.identities i
        join kith.emails e on e.user_id = i.user_id and e.canonical = i.email_canonical and e.vouched_by @> array[i.id]
        join kith.events v on v.user_id = i.user_id and (v.data ->> 'identity_id')::uuid = i.id
        where i.namespace_id = \(namespaces.linkedin[range.linkTenant])
        """
    case .registration:
      script = """
        select count(distinct i.id) from kith.emails e
        join kith.users u on u.id = e.user_id
        join kith.identities i on i.user_id = u.id and e.vouched_by @> array[i.id]
        join kith.events v on v.user_id = u.id and (v.data ->> 'identity_id')::uuid = i.id
        where split_part(e.canonical, '@', 2) = '\(range.domain)'
        """
    case .hold:
      script = """
        select count(distinct r.id) from kith.registrations r
        join kith.events v on v.type = 'registration.held' and (v.data ->> 'registration_id')::uuid = r.id
        where substr(r.subject, 30, 10)::bigint between \(range.base) and \(range.base + calls - 1)
        """
    case .credential:
      script = """
        select count(distinct c.id) from kith.credentials c
        join kith.credential_history h on h.credential_id = c.id and h.version = c.version
        where c.service = '\(range.domain)'
        """
    case .merge:
      // The events are looked through once, whatever the plan.
      script = """
        with told as materialized (
          select (v.data ->> 'merge_id')::uuid as merge_id from kith.events v where v.type = 'user.merged'
        )
        select count(distinct m.id) from kith.merges m
        join kith.users s on s.id = m.survivor and s.status = 'active'
        join kith.users a on a.id = m.absorbed and a.status = 'merged' and a.merged_into = s.id
        join told on told.merge_id = m.id
        where m.survivor between '01\(range.base)00000000000000000000' and '01\(range.base + calls - 1)ffffffffffffffffffff'
          and (select count(*) from kith.merged_identities j where j.merge_id = m.id) = \(range.identitiesMoved)
          and (select count(*) from kith.merged_emails j where j.merge_id = m.id) = \(range.identitiesMoved)
          and (select count(*) from kith.identities i where i.user_id = s.id) = \(2 + range.identitiesMoved)
          and (select count(*) from kith.emails e where e.user_id = s.id and e.verified) = \(2 + range.identitiesMoved)
          and not exists (select from kith.identities i where i.user_id = a.id)
          and not exists (select from kith.emails e where e.user_id = a.id)
        """
    }
    let found = try programs.psql(script, user: "kith_owner")
    guard found == "\(calls)" else {
      throw BenchFailure("\(load.title): \(calls) calls were answered, but \(found) left all their rows")
    }
  }
}
