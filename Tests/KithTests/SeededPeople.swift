import Accounts
import Crypto
import TestSupport
import Vault

/// SQL that puts the same invented people into a database every time, with fixed ids and times, so that cases can name them.
///
/// The namespaces are those of a started service.
enum SeededPeople {
  static let sql = users + identities + emails + credentials

  /// Mira has everything, Haneul a Korean name and a claimed address, the third a name that is too long, Ron little, and the
  /// fifth was merged into Mira, the sixth erased. Two of the beginnings are words of names, too.
  private static let users = """
    insert into kith.users (id, status, merged_into, profile, search_name) values
      ('0192f3a0-7c1e-7000-8000-000000000001', 'active', null,
        '{"name":{"given":"Mira","family":"Beispiel"},"nickname":"Mi","locale":"de-DE","picture":"https://pictures.example.org/mira.png"}',
        'mira beispiel mi'),
      ('0192f3a0-7c1e-7000-8000-000000000002', 'active', null,
        '{"name":{"full":"김하늘"},"nickname":"하늘하늘","locale":"ko-KR"}', '김하늘 하늘하늘'),
      ('0192f3a0-7c1e-7000-8000-000000000003', 'active', null,
        '{"name":{"full":"남궁민수독고영재황보선우제갈공명사공민서"}}', '남궁민수독고영재황보선우제갈공명사공민서'),
      ('0192f3a0-7c1e-7000-8000-000000000004', 'active', null, '{"name":{"full":"Ron 0193aaaa"}}', 'ron 0193aaaa'),
      ('0192f3a0-7c1e-7000-8000-000000000005', 'merged', '0192f3a0-7c1e-7000-8000-000000000001', '{}', ''),
      ('0192f3a0-7c1e-7000-8000-000000000006', 'erased', null, '{}', ''),
      ('0193aaaa-0000-7000-8000-000000000007', 'active', null,
        '{"name":{"full":"\\u001b[2J\\u202eevil"}}', 'evil');

    """

  private static let identities = """
    insert into kith.identities (namespace_id, subject, user_id, id, email, email_canonical, email_verified, linked_at,
      linked_by)
    select n.id, i.subject, ('0192f3a0-7c1e-7000-8000-00000000000' || i.number)::uuid,
      ('0192f3a1-0000-7000-8000-00000000000' || i.id)::uuid, i.email, i.email, i.verified,
      '2026-11-28 09:10:11+00'::timestamptz + make_interval(hours => i.id), i.linked_by
    from (values
      (1, 1, 'apple', '000768.3f2a9c1e8b7d4f6a90c1e8b7d4f6a90c.1521', 'mira@example.org', true, 'register'),
      (2, 1, 'linkedin', 'Kx3vQ9_mira', 'mira@example.org', true, 'email'),
      (3, 2, 'naver', 'nv-5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d', 'haneul@example.kr', true, 'import'),
      (4, 3, 'linkedin', 'Zz0-long', null, null, 'import'),
      (5, 4, 'apple', '000768.ron', 'ron@many.example.org', true, 'import')
    ) i (id, number, provider, subject, email, verified, linked_by)
    join kith.namespaces n on n.provider = i.provider;
    insert into kith.last_sign_ins (identity_id, at) values
      ('0192f3a1-0000-7000-8000-000000000001', '2026-11-29 20:15:00+00'),
      ('0192f3a1-0000-7000-8000-000000000002', '2026-11-30 03:04:05+00');

    """

  private static let emails = """
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by, vouched_by_token) values
      ('0192f3a0-7c1e-7000-8000-000000000001', 'mira@example.org', 'Mira@Example.org', '2026-11-28 10:10:11+00',
        '{0192f3a1-0000-7000-8000-000000000001,0192f3a1-0000-7000-8000-000000000002}', false),
      ('0192f3a0-7c1e-7000-8000-000000000001', 'beispiel@mail.example.net', 'beispiel@mail.example.net',
        '2026-11-28 11:10:11+00', '{}', true),
      ('0192f3a0-7c1e-7000-8000-000000000002', 'haneul@example.kr', 'haneul@example.kr', '2026-11-28 12:10:11+00',
        '{}', false),
      ('0192f3a0-7c1e-7000-8000-000000000003', 'a-very-long-local-part-of-an-address@long.example.com',
        'a-very-long-local-part-of-an-address@long.example.com', '2026-11-28 13:10:11+00', '{}', true),
      ('0192f3a0-7c1e-7000-8000-000000000004', 'ron@many.example.org', 'ron@many.example.org', '2026-11-28 14:10:11+00',
        '{0192f3a1-0000-7000-8000-000000000005}', false);
    """

  /// What is sealed in them nobody looks at.
  private static let credentials = """
    insert into kith.credentials (id, access_group, account, service, label, user_id, version, sealed, key_id, created_at,
      updated_at, expires_at)
    select ('0192f3a2-0000-7000-8000-00000000000' || c.number)::uuid, c.access_group, c.account, c.service, c.label,
      ('0192f3a0-7c1e-7000-8000-00000000000' || c.user_number)::uuid, c.number, '\\x0101026b31', 'k1',
      '2026-11-28 09:10:11+00',
      '2026-11-28 10:11:12+00', c.expires_at::timestamptz
    from (values
      (1, 'web', 'mira@example.org', 'imap.example.org', 'Mira''s mail', 1, null),
      (2, 'web', '김하늘', 'calendar.example.kr', '하늘', 2, '2999-01-01 00:00:00+00'),
      (3, 'web', E'\\x1b[2Jevil', 'x', E'\\u202eevil\\nlabel', null, null),
      (4, 'batch', 'a-long-account-name-that-leaves-little-room@example.com',
        'a-long-service.example.com', null, null, null),
      (5, 'web', 'expired', 'x', null, null, '2026-11-28 11:00:00+00'),
      (6, 'kith.tokens', 'own', 'x', null, null, null)
    ) c (number, access_group, account, service, label, user_number, expires_at);
    insert into kith.credential_history (credential_id, version, access_group, account, service, action, at, caller,
      change_id)
    select ('0192f3a2-0000-7000-8000-00000000000' || h.credential)::uuid, h.version, 'web', h.account, h.service,
      h.action, '2026-11-28 09:10:11+00'::timestamptz + make_interval(hours => h.hours), h.caller, gen_random_uuid()
    from (values
      (9, 1, 'mira@example.org', 'imap.example.org', 'add', 0, 'web'),
      (9, 2, 'mira@example.org', 'imap.example.org', 'update', 1, 'an-app-with-a-very-long-name-as-nobody-would-give-it-to-one'),
      (9, 3, 'mira@example.org', 'imap.example.org', 'expire', 2, null),
      (1, 1, 'mira@example.org', 'imap.example.org', 'add', 3, 'web'),
      (3, 1, E'\\x1b[2Jevil', 'x', 'add', 0, E'\\u202eevil')
    ) h (credential, version, account, service, action, hours, caller);

    """

  /// Noor has everything, Haneul little, and the third has a name that is not to reach a terminal and details that do not
  /// open.
  static func registrations(sealedBy seed: SealedSeed) throws -> String {
    struct NoSuchIdentity: Error {}
    let identities = [
      ("apple:TEAM000001", "000931.c04e11d27fb84aa9b7d5f2036e91ab58.1933"), ("naver:nv-client", "nv-haneul"),
    ]
    let details = [
      #"""
      {"email":"Noor@Example.org","email_verified":true,"is_private_email":true,"profile":{"name":{"given":"Noor",
      "family":"Beispiel"},"nickname":"No","locale":"de-DE","picture":"https://pictures.example.org/noor.png",
      "details":{"real_user_status":2}}}
      """#,
      #"{"email":"haneul@example.kr","email_verified":false,"profile":{"name":{"full":"김하늘"}}}"#,
    ].map { SecretBytes(copying: $0.utf8) }
    let sealed = try details.enumerated().map { number, details in
      let id = UniqueID(high: 0x0192_F3A3_0000_7000, low: 0x8000_0000_0000_0001 + UInt64(number))
      guard let namespace = Namespace(identities[number].0), let subject = Subject(identities[number].1) else {
        throw NoSuchIdentity()
      }
      let context = SealingContext.registration(
        RegistrationID(id), of: IdentityKey(namespace, subject), version: 1,
        databaseID: seed.databaseID)
      return (
        try seed.keyRing.seal(details, in: context),
        try Sealer(seed.keyRing, databaseID: seed.databaseID).emailIndex(inDetails: details)?.code ?? []
      )
    }
    return """
      insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, email_index, link, caller,
        attempts, last_reason, held_at, said_at, expires_at)
      select ('0192f3a3-0000-7000-8000-00000000000' || r.number)::uuid, n.id, r.subject, 1, r.sealed, 'k1',
        r.email_index, 'verified_email', 'web', r.attempts, r.last_reason,
        h.at, h.at, '2999-01-01 00:00:00+00'
      from (values
        (1, 'apple', '000931.c04e11d27fb84aa9b7d5f2036e91ab58.1933', \(SealedSeed.literal(sealed[0].0.bytes)),
          \(SealedSeed.literal(sealed[0].1)), 2, 'the mail server was down'),
        (2, 'naver', 'nv-haneul', \(SealedSeed.literal(sealed[1].0.bytes)), \(SealedSeed.literal(sealed[1].1)), 0, null),
        (3, 'linkedin', E'\\x1b[2Jevil', '\\x0101026b31', null, 1, E'\\u202eevil')
      ) r (number, provider, subject, sealed, email_index, attempts, last_reason)
      join kith.namespaces n on n.provider = r.provider
      cross join lateral (
        select '2026-11-28 08:10:11+00'::timestamptz + make_interval(hours => r.number) as at
      ) h;

      """
  }

  /// The fifth was merged into Mira and brought an identity; Ron and the third were one for an hour.
  static let merges = """
    insert into kith.merges (id, survivor, absorbed, reason, caller, at, plan_sha256, absorbed_status, filled, identities,
      emails, credentials, registrations, credentials_left, state, undone_at, undone_by, undo_reason)
    select ('0192f3a4-0000-7000-8000-00000000000' || m.number)::uuid,
      ('0192f3a0-7c1e-7000-8000-00000000000' || m.survivor)::uuid,
      ('0192f3a0-7c1e-7000-8000-00000000000' || m.absorbed)::uuid, m.reason, 'ops',
      '2026-11-28 16:17:18+00'::timestamptz + make_interval(hours => m.number), sha256(m.absorbed::text::bytea), 'active',
      '{}', 1, m.number - 1, 0, 0, m.number - 1, m.state, m.undone_at::timestamptz, m.undone_by, m.undo_reason
    from (values
      (1, 1, 5, 'one person, says support case 4711', 'done', null, null, null),
      (2, 4, 3, '한 사람', 'undone', '2026-11-28 19:20:21+00', 'ops', E'\\u202etwo\nafter all')
    ) m (number, survivor, absorbed, reason, state, undone_at, undone_by, undo_reason);
    insert into kith.merged_identities values
      ('0192f3a4-0000-7000-8000-000000000001', '0192f3a1-0000-7000-8000-000000000002', 'register'),
      ('0192f3a4-0000-7000-8000-000000000002', '0192f3a1-0000-7000-8000-000000000099', 'register');
    insert into kith.merged_emails (merge_id, canonical, email, added_at, vouched_by, vouched_by_token) values
      ('0192f3a4-0000-7000-8000-000000000002', 'ron@example.org', E'\\x1b[2JRon@Example.org', now(), '{}', false);
    update kith.identities set linked_by = 'merge' where id = '0192f3a1-0000-7000-8000-000000000002';
    """

  /// What became of some of them, and who did what: with names that are not to reach a terminal.
  static let trail = """
    insert into kith.events (id, type, at, user_id, caller, data)
    select ('0192f3a4-0000-7000-8000-00000000000' || e.number)::uuid, e.type,
      '2026-11-28 09:10:11+00'::timestamptz + make_interval(hours => e.number),
      ('0192f3a0-7c1e-7000-8000-00000000000' || e.user_number)::uuid, e.caller, e.data::json
    from (values
      (1, 'user.registered', 1, 'web', '{"identity_id":"0192f3a1-0000-7000-8000-000000000001","provider":"apple","tenant":"TEAM000001"}'),
      (2, 'email.verified', 1, 'web', '{"email":"mira@example.org"}'),
      (3, 'user.updated', 2, 'ops', '{}'),
      (4, 'registration.expired', null, null,
        '{"registration_id":"0192f3a3-0000-7000-8000-000000000009","provider":"naver","tenant":"nv-client"}'),
      (5, 'user.updated', 7, 'ops', E'{"nickname":"\\u202eevil","list":[1,2]}'),
      (6, 'user.disabled', 7, 'ops', '{}')
    ) e (number, type, user_number, caller, data) order by e.number;
    select kith.append_audit(a.caller, 4711, a.action, ('0192f3a0-7c1e-7000-8000-00000000000' || a.user_number)::uuid,
      a.reason, a.data::json)
    from (values
      (1, 'ops', 'user.update', 2, null, '{"changed":["nickname"]}'),
      (2, 'ops', 'user.disable', 7, E'\\u202eevil reason', '{}'),
      (3, 'support-desk', 'credential.delete', null, '김하늘 asked for it, and so it was done at once by the desk',
        '{"credential_id":"0192f3a2-0000-7000-8000-000000000002"}'),
      (4, 'ops', 'user.disable', 5, 'lost her phone', '{}')
    ) a (number, caller, action, user_number, reason, data) order by a.number;
    """

  /// Changes a row of the audit trail, as somebody with the disk could.
  static let forged = """
    alter table kith.audit disable trigger user;
    update kith.audit set reason = 'nothing happened' where seq = 3;
    """

  /// Pairs who are one person, each for other reasons, and those whom many share a name with.
  static let duplicates = """
    insert into kith.users (id, status, profile, search_name, match_name, match_birthday)
    select ('0192f3a0-7c1e-7000-8000-00000000000' || p.number)::uuid, p.status,
      json_build_object('name', json_build_object('full', p.name)), lower(p.name), p.match_name, p.match_birthday
    from (values
      (1, 'active', '김하늘', '~gim hanul', '10-01-1990'), (2, 'active', 'Haneul Kim', '~gim hanul', ''),
      (3, 'disabled', '김 하늘', '~gim hanul', '10-01'),
      (4, 'active', 'Mira Beispiel-Langername', 'beispiellangername mira', ''),
      (5, 'active', 'Mira Beispiel', 'beispiel mira', '')
    ) p (number, status, name, match_name, match_birthday);
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by_token)
    select ('0192f3a0-7c1e-7000-8000-00000000000' || e.number)::uuid, lower(e.email), e.email, now(), e.verified
    from (values
      (1, 'haneul@example.org', true), (2, 'q7w8e9r0@privaterelay.appleid.com', true),
      (4, 'Mira+a.very.long.tag@example.org', true), (5, 'mira@example.org', true),
      (5, 'mira+a.very.long.tag@example.org', false)
    ) e (number, email, verified);
    insert into kith.users (id, profile, search_name, match_name)
    select ('0192f3a0-7c1e-7000-8000-0000000001' || n)::uuid, '{}', '', 'ida beispiel' from generate_series(10, 40) n;
    """

  /// Two people, each of whom Apple calls by one and the same subject, which has a colon, before another team.
  static let ofTwoTenants = """
    insert into kith.users (id, status, profile, search_name) values
      ('0192f3a0-7c1e-7000-8000-000000000001', 'active', '{}', ''),
      ('0192f3a0-7c1e-7000-8000-000000000002', 'active', '{}', '');
    insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
    select n.id, '000768:twin', ('0192f3a0-7c1e-7000-8000-00000000000' || right(n.tenant, 1))::uuid,
      ('0192f3a1-0000-7000-8000-00000000000' || right(n.tenant, 1))::uuid, '2026-11-28 09:10:11+00', 'register'
    from kith.namespaces n;
    """
}
