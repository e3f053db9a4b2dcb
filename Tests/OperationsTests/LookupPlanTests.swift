import Accounts
import Postgres
import Store
import Testing

/// A statement's plan may be made while its table is empty, when reading all of it costs nothing, and is used when the
/// table is not. So look-ups must go by the index in any case.
struct LookupPlanTests {
  private static let filling = Statement<Void, Void>(
    "fill",
    """
    with users as (
      insert into kith.users (id) select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
      from generate_series(2, 1000) n
      returning id
    ), identities as (
      insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
      select 1, id, id, gen_random_uuid(), now(), 'import' from users
    ), held as (
      insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, link, caller, held_at,
        said_at, expires_at)
      select gen_random_uuid(), 1, 's' || n, 1, '\\x0101026b31', 'k1', 'never', 'web', now(), now(), now() + interval '1 day'
      from generate_series(1, 1000) n
    )
    insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at)
    select gen_random_uuid(), 'group', 'account' || n, 'service', 1, '\\x0101026b31', 'k1', now(), now()
    from generate_series(1, 1000) n
    """
  ) { _, _ in }

  /// What this transaction has read so far of tables and indexes.
  private static let rowsRead = Statement<Void, Int64>(
    "rows_read",
    """
    select sum(pg_stat_get_xact_tuples_returned(c.oid))::int8 from pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relkind in ('r', 'i')
    """
  ) { row throws(PostgresError) in try row.integer() }

  private func lookups(_ number: Int) throws -> Pipeline {
    var pipeline = Pipeline()
    let subject = try #require(Subject("s\(number)"))
    pipeline.add(FindRegistrations.lockingByKey, [StoredKey(namespace: 1, subject: subject)])
    pipeline.add(
      FindCredentials.statement,
      [CredentialPlace(accessGroup: "group", account: ExactText("account\(number)"), service: "service")])
    let user = UserID.numbered(UInt64(number))
    pipeline.add(ListIdentities.statement, .init(user: user, limit: 100))
    pipeline.add(ListIdentities.ofSeveral, PartsOfUsers(users: [user], limit: 100))
    let identity = IdentityID(UniqueID(high: 0, low: UInt64(number)))
    pipeline.add(
      UnlinkIdentity.statement,
      .init(
        identity: identity, key: StoredKey(namespace: 1, subject: subject), user: .numbered(1), at: TestDaemon.now,
        caller: .tester))
    return pipeline
  }

  @Test(arguments: ["", "vacuum analyze kith.registrations, kith.credentials"])
  func `a plan for empty tables reads no more than what is asked for`(before: String) async throws {
    let seed = Seed.users(1)
    try await TestDaemon.with(seed) { daemon async throws in
      if !before.isEmpty { try await daemon.database.script(before, as: .superuser) }
      let (early, late) = (try lookups(0), try lookups(500))
      let read = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        _ = try await transaction.run(early)
        var pipeline = Pipeline()
        pipeline.add(Self.filling, ())
        let former = pipeline.add(Self.rowsRead, ())
        pipeline.append(late)
        let present = pipeline.add(Self.rowsRead, ())
        let results = try await transaction.run(pipeline)
        let read = (try results.rows(of: present).first ?? .max) - (try results.rows(of: former).first ?? 0)
        await transaction.rollback()
        return read
      }
      #expect(read < 30)
    }
  }

  private static let thousandEvents = """
    insert into kith.events (id, type, at) select gen_random_uuid(), 'user.updated', now() from generate_series(1, 1000)
    """

  /// Until the log is past them: a transaction of any database of the cluster that began before keeps it back.
  private static let placingAll = """
    do $$
    begin
      loop
        perform kith.place_events(1001);
        exit when not exists (select from kith.event_log l join kith.events e on e.xid >= l.done_xid);
      end loop;
    end $$
    """

  @Test(arguments: [
    [thousandEvents],
    [thousandEvents, "analyze kith.events"],
    [thousandEvents, placingAll, "analyze kith.events", thousandEvents],
  ])
  func `a few of many events are given their places without a look at the others`(before: [String]) async throws {
    // Once it has been looked whether another cluster left some.
    try await TestDaemon.with("select kith.place_events(1)") { daemon async throws in
      for script in before { try await daemon.database.script(script, as: .superuser) }
      let (placed, read) = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        var pipeline = Pipeline()
        let former = pipeline.add(Self.rowsRead, ())
        let place = pipeline.add(EventLog.place, 10)
        let present = pipeline.add(Self.rowsRead, ())
        let results = try await transaction.run(pipeline)
        let counts = try [former, present].map { try results.rows(of: $0).first ?? .max }
        let placed = try results.first(of: place)
        await transaction.rollback()
        return (placed, counts[1] - counts[0])
      }
      #expect(placed == 10 && read < 60, "\(read)")
    }
  }

  /// A thousand people, each with all that is looked for when one of them is erased or told of.
  private static let people = """
    insert into kith.events (id, type, at, user_id, data, place)
      select gen_random_uuid(), 'email.verified', now(), u.id, '{"email":"mira@example.org"}', row_number() over ()
      from kith.users u;
    insert into kith.challenges (id, namespace_id, subject, caller, candidates, candidate_epochs, created_at, expires_at)
      select gen_random_uuid(), 2, 'asked' || u.id, 'web', array[u.id], '{0}', now(), now() + interval '1 hour'
      from kith.users u;
    insert into kith.request_keys (caller, method, key, parameters_sha256, answer, created_at, user_id, about)
      select 'web', 'user.update', u.id::text, sha256('x'), '{}', now(), u.id, hashtextextended(u.id::text, 0)
      from kith.users u;
    insert into kith.credential_history (credential_id, version, access_group, account, service, action, at, caller,
      change_id, user_id)
      select gen_random_uuid(), 1, 'web', u.id::text, 'mail', 'delete', now(), 'web', gen_random_uuid(), u.id
      from kith.users u;
    insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, link, caller, held_at, said_at,
      expires_at)
      select gen_random_uuid(), i.namespace_id, i.subject, 1, '\\x0101026b31', 'k1', 'never', 'web', now(), now(),
        now() + interval '1 day'
      from kith.identities i;
    insert into kith.registrations (id, namespace_id, subject, version, link, caller, held_at, said_at, expires_at,
      user_id, completed_at)
      select gen_random_uuid(), i.namespace_id, i.subject, 1, 'never', 'web', now(), now(), now() + interval '1 day',
        i.user_id, now()
      from kith.identities i;
    insert into kith.credentials (id, access_group, account, service, user_id, version, sealed, key_id, created_at,
      updated_at)
      select gen_random_uuid(), 'web', u.id::text, 'mail', u.id, 1, '\\x0101026b31', 'k1', now(), now()
      from kith.users u;
    insert into kith.email_tokens (user_id, canonical, token_sha256, epoch, expires_at)
      select e.user_id, e.canonical, sha256('x'), 0, now() + interval '1 hour' from kith.emails e;
    insert into kith.unlinked (user_id, namespace_id, subject, at)
      select u.id, 2, 'was' || u.id, now() from kith.users u;
    insert into kith.removed_emails (user_id, canonical, at)
      select u.id, 'was-mira@example.org', now() from kith.users u;
    select kith.append_audit('web', 0, 'user.update', u.id, null, '{}') from kith.users u;
    """

  /// Whose rows are found without looking at all others': of each kind the person has one.
  @Test func `one person of a thousand is erased and told of by the indexes`() async throws {
    try await TestDaemon.with(Seed.users(1000) + Self.people) { daemon async throws in
      let user = try #require(UserID("01920000-0000-7000-8000-0000000001f4"))
      let read = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        var pipeline = Pipeline()
        let former = pipeline.add(Self.rowsRead, ())
        let question = ExportRows.Question(user: user, limit: 10)
        let events = pipeline.add(ExportRows.events, question)
        pipeline.add(ExportRows.heldRegistrations, question)
        for part in [
          ExportRows.unlinked, ExportRows.removedEmails, ExportRows.emailTokens, ExportRows.credentials,
          ExportRows.registrations, ExportRows.formerUsers, ExportRows.merges, ExportRows.audit,
          ExportRows.credentialHistory,
        ] { pipeline.add(part, question) }
        let told = pipeline.add(Self.rowsRead, ())
        let released = pipeline.add(EraseRows.identities, [user])
        _ = EraseRows.add(EraseRows.Input(users: [user], at: TestDaemon.now), to: &pipeline)
        pipeline.add(EraseRows.answers, EraseRows.Telling(users: [user], about: [], aboutUnlinked: []))
        pipeline.add(EraseRows.answersFromWhiles, [user])
        let erased = pipeline.add(Self.rowsRead, ())
        let results = try await transaction.run(pipeline)
        #expect(try results.rows(of: released).count == 1 && results.first(of: events)?.count == 1)
        let counts = try [former, told, erased].map { try results.rows(of: $0).first ?? .max }
        await transaction.rollback()
        return (told: counts[1] - counts[0], erased: counts[2] - counts[1])
      }
      #expect(read.told < 60 && read.erased < 120, "\(read)")
    }
  }

  private static let partings = """
    insert into kith.events (id, type, at, user_id, data, place)
      select gen_random_uuid(), 'user.updated', now(), u.id, '{}', 1000 + row_number() over () from kith.users u;
    insert into kith.merges (id, survivor, absorbed, state, reason, caller, at, plan_sha256, absorbed_status, filled,
      identities, emails, credentials, registrations, credentials_left, undone_at, undone_by, undo_reason)
      select u.id, u.id, '01920000-0000-7000-8000-000000000001', 'undone', 'one', 'web', now(),
        sha256(u.id::text::bytea), 'active', '{}', 1, 1, 0, 0, 0, now(), 'web', 'two'
      from kith.users u where u.id <> '01920000-0000-7000-8000-000000000001';
    insert into kith.merged_emails (merge_id, canonical, email, added_at, vouched_by, vouched_by_token)
      select m.id, 'mira@example.org', 'mira@example.org', now(), '{}', true from kith.merges m;
    """

  private static let part = Statement<UserID, Void>("part", "select kith.part_users($1::uuid)") { merge, parameters in
    parameters.add(merge.unique)
  }

  @Test func `two of a thousand are parted by the indexes`() async throws {
    try await TestDaemon.with(Seed.users(1000) + Self.people + Self.partings) { daemon async throws in
      let merge = try #require(UserID("01920000-0000-7000-8000-0000000001f4"))
      let read = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        var pipeline = Pipeline()
        let former = pipeline.add(Self.rowsRead, ())
        pipeline.add(Self.part, merge)
        let present = pipeline.add(Self.rowsRead, ())
        let results = try await transaction.run(pipeline)
        let counts = try [former, present].map { try results.rows(of: $0).first ?? .max }
        await transaction.rollback()
        return counts[1] - counts[0]
      }
      #expect(read < 40, "\(read)")
    }
  }
}
