/// The people of the benchmark, computed from their numbers by the same rules here and in SQL.
enum People {
  /// 44 characters, as Apple's ids have.
  static func subject(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 10 - digits.count) + digits + ".c04e11d27fb84aa9b7d5f2036e91.19"
  }

  static func email(_ number: Int) -> String { "user\(number)@example.org" }

  /// Fills the tables as that many first sign-ins by Apple would have, with verified addresses.
  static func loading(_ count: Int) -> String {
    """
    set search_path = kith;
    insert into users (id, profile, search_name)
    select ('018f0000-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid, '{"name":{"full":"Mira Okafor"}}', 'mira okafor'
    from generate_series(0, \(count - 1)) g;
    insert into identities (namespace_id, subject, user_id, id, email, email_canonical, email_verified, linked_at,
      linked_by, linked_by_caller)
    select (select id from namespaces where provider = 'apple'),
      lpad(g::text, 10, '0') || '.c04e11d27fb84aa9b7d5f2036e91.19',
      ('018f0000-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid,
      ('018f0001-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid,
      'user' || g || '@example.org', 'user' || g || '@example.org', true, now(), 'register', 'bench'
    from generate_series(0, \(count - 1)) g;
    insert into emails (user_id, canonical, email, added_at, vouched_by)
    select ('018f0000-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid, 'user' || g || '@example.org',
      'user' || g || '@example.org', now(), array[('018f0001-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid]
    from generate_series(0, \(count - 1)) g;
    """
  }
}
