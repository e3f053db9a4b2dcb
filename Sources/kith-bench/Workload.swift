/// What is measured: the same work as one statement of pgbench and as one call of the daemon.
enum Workload: String, CaseIterable {
  case known = "known identity"
  case link = "link by address"
  case register = "first sign-in"

  /// What the answer of the daemon must say.
  var outcome: String {
    switch self {
    case .known: "\"signed_in\""
    case .link: "\"linked\""
    case .register: "\"registered\""
    }
  }

  /// The least SQL that leaves, or finds, what the daemon does.
  ///
  /// - Parameters:
  ///   - users: how many there are.
  ///   - run: makes the keys of this measurement different from all others.
  func script(users: Int, run: Int) -> String {
    switch self {
    case .known:
      #"""
      \set u random(0, \#(users - 1))
      select id, user_id, user_status, email, email_verified, is_private_email, linked_at, linked_by from kith.identities
      where namespace_id = 1 and subject = lpad((:u)::text, 10, '0') || '.c04e11d27fb84aa9b7d5f2036e91.19';
      """#
    case .link:
      #"""
      \set u random(0, \#(users - 1))
      with i as (
        insert into kith.identities (id, namespace_id, subject, user_id, email, email_canonical, email_verified, linked_at,
          linked_by, linked_by_caller, last_sign_in_at)
        select gen_random_uuid(), 2, 'pg-\#(run)-' || gen_random_uuid(), e.user_id, e.email, e.canonical, true, now(),
          'email', 'bench', now()
        from kith.emails e where e.canonical = 'user' || :u || '@example.org' and e.verified
        returning id, user_id
      ), v as (
        update kith.emails e set vouched_by = e.vouched_by || i.id from i
        where e.user_id = i.user_id and e.canonical = 'user' || :u || '@example.org'
      )
      insert into kith.events (id, type, at, user_id, caller, data)
      select gen_random_uuid(), 'identity.linked', now(), user_id, 'bench', json_build_object('identity_id', id,
        'provider', 'linkedin', 'tenant', 'bench', 'linked_by', 'email') from i;
      """#
    case .register:
      #"""
      \set a random(0, 4611686018427387903)
      with u as (
        insert into kith.users (id, profile, search_name)
        values (gen_random_uuid(), '{"name":{"given":"Mira","family":"Okafor"}}', 'mira okafor') returning id
      ), i as (
        insert into kith.identities (id, namespace_id, subject, user_id, email, email_canonical, email_verified, linked_at,
          linked_by, linked_by_caller, last_sign_in_at)
        select gen_random_uuid(), 1, 'pg-\#(run)-' || :a, u.id, 'pg\#(run)-' || :a || '@example.net',
          'pg\#(run)-' || :a || '@example.net', true, now(), 'register', 'bench', now() from u
        returning id, user_id
      ), e as (
        insert into kith.emails (user_id, canonical, email, added_at, vouched_by)
        select user_id, 'pg\#(run)-' || :a || '@example.net', 'pg\#(run)-' || :a || '@example.net', now(), array[id] from i
      )
      insert into kith.events (id, type, at, user_id, caller, data)
      select gen_random_uuid(), 'user.registered', now(), user_id, 'bench', json_build_object('identity_id', id,
        'provider', 'apple', 'tenant', 'BENCH00001') from i;
      """#
    }
  }

  /// The parameters of one call.
  ///
  /// - Parameters:
  ///   - number: a random user for known ones and links.
  ///   - serial: different for every call of all measurements.
  func parameters(number: Int, serial: Int) -> String {
    switch self {
    case .known:
      #"{"provider":"apple","subject":"\#(People.subject(number))","email":"\#(People.email(number))","email_verified":true}"#
    case .link:
      #"{"provider":"linkedin","subject":"k-\#(serial)","email":"\#(People.email(number))","email_verified":true}"#
    case .register:
      #"{"provider":"apple","subject":"k-\#(serial)","email":"k\#(serial)@example.net","email_verified":true,"#
        + #""name":{"given":"Mira","family":"Okafor"}}"#
    }
  }
}
