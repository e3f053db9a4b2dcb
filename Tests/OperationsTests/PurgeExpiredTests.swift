import Accounts
import Operations
import Testing

struct PurgeExpiredTests {
  /// Kept answers and challenges on both sides of their limits, as of the time the tests take for now.
  private static let rows =
    Seed.users(1) + """
      insert into kith.request_keys (caller, method, key, parameters_sha256, answer, created_at)
        select 'web', 'user.update', 'old' || n, sha256(''), '{}', to_timestamp(1796000000) - interval '30 days 1 second'
        from generate_series(1, 2500) n;
      insert into kith.request_keys (caller, method, key, parameters_sha256, answer, created_at)
        select 'web', 'user.update', 'new' || n, sha256(''), '{}', to_timestamp(1796000000) - interval '29 days 23 hours'
        from generate_series(1, 10) n;
      insert into kith.challenges (id, namespace_id, subject, caller, candidates, candidate_epochs, created_at,
          expires_at)
        select gen_random_uuid(), 1, 's' || n, 'web', array[gen_random_uuid()], '{0}', to_timestamp(0),
          to_timestamp(1796000000) - interval '1 day' - make_interval(secs => n)
        from generate_series(1, 1200) n;
      insert into kith.challenges (id, namespace_id, subject, caller, candidates, candidate_epochs, created_at,
          expires_at)
        select gen_random_uuid(), 1, 'young', 'web', array[gen_random_uuid()], '{0}', to_timestamp(0),
          to_timestamp(1796000000) - interval '23 hours';
      insert into kith.emails (user_id, canonical, email, added_at)
        select '01920000-0000-7000-8000-000000000001', 't' || n || '@example.org', 't', now()
        from generate_series(1, 1105) n;
      insert into kith.email_tokens (user_id, canonical, token_sha256, epoch, expires_at)
        select '01920000-0000-7000-8000-000000000001', 't' || n || '@example.org', sha256(''), 0,
          to_timestamp(1796000000) - interval '1 day 1100 seconds' + make_interval(secs => n)
        from generate_series(1, 1105) n;
      insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, link, caller, held_at,
          said_at, expires_at)
        select ('01930000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'r' || n, 1, '\\x0101026b31', 'k1',
          'never', 'web', to_timestamp(0), to_timestamp(0), to_timestamp(1796000000) + make_interval(secs => n) - interval '1100 seconds'
        from generate_series(1, 1110) n;
      update kith.registrations set sealed = null, key_id = null, completed_at = now(),
        user_id = '01920000-0000-7000-8000-000000000001' where subject = 'r7';
      """

  @Test func `what has served its time goes, everything else stays`() async throws {
    try await TestDaemon.with(Self.rows) { daemon async throws in
      let purge = PurgeExpired(writes: daemon.writes, circumstances: daemon.circumstances)
      try await daemon.run { () async throws in
        let outcome = await purge.runOnce()
        #expect(outcome.failure == nil)
        #expect(outcome.keptAnswers == 2500 && outcome.challenges == 1200 && outcome.registrations == 1098)
        #expect(outcome.emailTokens == 1099)
      }
      #expect(try await daemon.count("select count(*)::text from kith.request_keys where key like 'new%'") == 10)
      #expect(try await daemon.texts("select subject from kith.challenges") == ["young"])
      #expect(try await daemon.count("select count(*)::text from kith.email_tokens") == 6)
      // The eleven that have not expired, and the one that is somebody.
      #expect(try await daemon.count("select count(*)::text from kith.registrations") == 12)
      #expect(
        try await daemon.count("select count(*)::text from kith.events where type = 'registration.expired'") == 1098)
    }
  }

  @Test func `old events go from the first on, read or not, and consumers that nobody uses`() async throws {
    let events = """
      insert into kith.events (id, type, at)
        select gen_random_uuid(), 'user.updated', now() - interval '91 days' from generate_series(1, 2500) n;
      insert into kith.events (id, type, at)
        select gen_random_uuid(), 'user.updated', now() - interval '89 days' from generate_series(1, 3) n;
      -- Its daemon's clock was wrong: it stays, for what is kept has no gap.
      insert into kith.events (id, type, at) values (gen_random_uuid(), 'user.updated', now() - interval '91 days');
      insert into kith.consumers (caller, name, place, created_at, used_at) values
        ('web', 'old', 0, to_timestamp(0), to_timestamp(1796000000) - interval '90 days 1 second'),
        ('web', 'young', 0, to_timestamp(0), to_timestamp(1796000000) - interval '89 days');
      """
    try await TestDaemon.with(events) { daemon async throws in
      let purge = PurgeExpired(writes: daemon.writes, circumstances: daemon.circumstances)
      try await daemon.run { () async throws in
        let outcome = await purge.runOnce()
        #expect(outcome.failure == nil)
        #expect(outcome.events == 2500 && outcome.consumers == 1)
        #expect(await purge.runOnce().events == 0)
      }
      #expect(
        try await daemon.texts("select place::text from kith.events order by place") == [
          "2501", "2502", "2503", "2504",
        ])
      #expect(try await daemon.texts("select name from kith.consumers") == ["young"])
      // However young, there are not more than so many.
      try await daemon.database.script(
        "create or replace function kith.events_kept_at_most() returns bigint language sql immutable return 3")
      try await daemon.run { () async throws in #expect(await purge.runOnce().events == 1) }
    }
  }

  @Test func `several at once drop each row once, and a challenge in use is left for the next time`() async throws {
    try await TestDaemon.with(Self.rows) { daemon async throws in
      let purge = PurgeExpired(writes: daemon.writes, circumstances: daemon.circumstances)
      try await Interferer.with(daemon) { interferer in
        try await interferer.script("begin; select from kith.challenges where subject = 's7' for update")
        try await daemon.run { () async throws in
          async let first = purge.runOnce()
          async let second = purge.runOnce()
          let (one, two) = await (first, second)
          #expect(one.failure == nil && two.failure == nil)
          #expect(one.keptAnswers + two.keptAnswers == 2500)
          #expect(one.challenges + two.challenges == 1199)
        }
        try await interferer.script("commit")
        try await daemon.run { () async throws in #expect(await purge.runOnce().challenges == 1) }
      }
    }
  }
}
