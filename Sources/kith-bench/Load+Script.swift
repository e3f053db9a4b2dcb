extension Load {
  /// The least SQL that does the same: one statement for each call. Numbers are made by pgbench itself; a key is turned
  /// into text by `||`, which costs well under a microsecond.
  ///
  /// Nil for what PostgreSQL does not do by itself, since only the daemon seals and opens.
  var script: String? {
    switch self {
    case .known: Self.knownScript
    case .link: Self.linkScript
    case .registration: Self.registrationScript
    case .merge: Self.mergeScript
    case .hold, .credential, .secret, .plan: nil
    }
  }

  private static let knownScript = #"""
    \set q :first + random(0, :users - 1)
    \set p 100000 + :q % 900000 * 7919 % 900000
    select id, user_id, user_status, email, email_verified, is_private_email, linked_at, linked_by
    from kith.identities
    where namespace_id = :namespace and subject = :p::text || '.c04e11d27fb84aa9b7d5f2' || :q::text || '.1933';

    """#

  private static let linkScript = #"""
    \set n :n + 1
    \set k :n * :clients + :client_id
    \set q :first + (:start + :k) * :spread % :users
    \set p 100000 + :q % 900000 * 7919 % 900000
    \set x :base + :k
    with holder as (
      select user_id, canonical from kith.emails where canonical = 'user' || :q::text || '@example.org' and verified
    ), linked as (
      insert into kith.identities (id, namespace_id, subject, user_id, email, email_canonical, email_verified,
        is_private_email, linked_at, linked_by, linked_by_caller)
      select ('01' || :x::text || '70008000000000000002')::uuid, :namespace,
        :p::text || '.c04e11d27fb84aa9b7d5f2' || :q::text || '.1933', user_id, canonical, canonical, true,
        null, now(), 'email', 'bench'
      from holder
    ), vouched as (
      update kith.emails e set vouched_by = e.vouched_by || ('01' || :x::text || '70008000000000000002')::uuid
      from holder h where e.user_id = h.user_id and e.canonical = h.canonical
    )
    insert into kith.events (id, type, at, user_id, caller, data)
    select ('01' || :x::text || '70008000000000000003')::uuid, 'identity.linked', now(), user_id, 'bench',
      ('{"identity_id":"01' || :x::text || '70008000000000000002","provider":"linkedin","tenant":"' || :tenant
        || '","linked_by":"email"}')::json
    from holder returning user_id;

    """#

  private static let registrationScript = #"""
    \set n :n + 1
    \set k :n * :clients + :client_id
    \set q :base + :k
    \set p 100000 + :q % 900000 * 7919 % 900000
    \set a 100 + :k % 900
    \set b 100 + :k % 890
    with registered as (
      insert into kith.users (id, profile, search_name, match_name)
      values (('01' || :q::text || '70008000000000000001')::uuid,
        ('{"name":{"given":"Mira' || :a::text || '","family":"Okafor' || :b::text || '"}}')::json,
        'mira' || :a::text || ' okafor' || :b::text, 'mira' || :a::text || ' okafor' || :b::text)
    ), linked as (
      insert into kith.identities (id, namespace_id, subject, user_id, email, email_canonical, email_verified,
        is_private_email, linked_at, linked_by, linked_by_caller)
      values (('01' || :q::text || '70008000000000000002')::uuid, :namespace,
        :p::text || '.c04e11d27fb84aa9b7d5f2' || :q::text || '.1933',
        ('01' || :q::text || '70008000000000000001')::uuid, 'user' || :q::text || '@' || :domain,
        'user' || :q::text || '@' || :domain, true, null, now(), 'register', 'bench')
    ), vouched as (
      insert into kith.emails (user_id, canonical, email, added_at, vouched_by)
      values (('01' || :q::text || '70008000000000000001')::uuid, 'user' || :q::text || '@' || :domain,
        'user' || :q::text || '@' || :domain, now(), array[('01' || :q::text || '70008000000000000002')::uuid])
    )
    insert into kith.events (id, type, at, user_id, caller, data)
    values (('01' || :q::text || '70008000000000000003')::uuid, 'user.registered', now(),
      ('01' || :q::text || '70008000000000000001')::uuid, 'bench',
      ('{"identity_id":"01' || :q::text || '70008000000000000002","provider":"apple","tenant":"' || :tenant
        || '"}')::json)
    returning user_id;

    """#
}
