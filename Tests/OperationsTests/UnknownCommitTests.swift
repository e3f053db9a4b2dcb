import Accounts
import Operations
import TestSupport
import Testing

/// Connections that break while a change is under way. What was committed is answered, what was not is not, and nothing is
/// written twice.
@Suite(.serialized)
struct UnknownCommitTests {
  private static let roundCount = 120

  /// The server ends the daemon's connection in the middle of COMMIT, the given number of times.
  private static func killInCommit(times: Int) -> String {
    """
    create sequence kith.commits;
    create function kith.end_commit() returns trigger language plpgsql security definer as $$
    begin
      if nextval('kith.commits') <= \(times) then perform pg_terminate_backend(pg_backend_pid()); end if;
      return null;
    end $$;
    create constraint trigger ends_commit after insert on kith.events deferrable initially deferred
      for each row execute function kith.end_commit();
    """
  }

  private func status(
    _ user: UserID, _ target: SetUserStatus.Target, key: ExactText?, on daemon: TestDaemon
  ) async throws -> Answer<UserRecord> {
    let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
    return try await daemon.run { () async throws in
      try await set.set(
        .init(user: user, target: target, reason: .test, call: .test(method: "user.disable", key: key)))
    }
  }

  /// Events, audit rows, kept answers and the epoch of user 1.
  private func traces(on daemon: TestDaemon) async throws -> String? {
    try await daemon.texts(
      """
      select concat_ws(' ', (select count(*) from kith.events), (select count(*) from kith.audit),
        (select count(*) from kith.request_keys), (select epoch from kith.users order by id limit 1))
      """
    ).first
  }

  @Test(arguments: [nil, "k"] as [ExactText?])
  func `a commit that did not happen is done again until it does`(key: ExactText?) async throws {
    try await TestDaemon.with(Seed.users(1) + Self.killInCommit(times: 3)) { daemon async throws in
      let answer = try await status(.numbered(1), .disabled, key: key, on: daemon)
      #expect(answer.new?.status == .disabled || answer.kept?.contains("disabled") == true)
      #expect(try await traces(on: daemon) == (key == nil ? "1 1 0 1" : "1 1 1 1"))
      #expect(try await daemon.count("select last_value::text from kith.commits") == 4)
    }
  }

  @Test(arguments: [nil, "k"] as [ExactText?])
  func `a commit that happened is answered and not done again, whatever others did since`(
    key: ExactText?
  ) async throws {
    try await TestDaemon.with(Seed.users(1)) { daemon async throws in
      try await CommitCutter.with(daemon.database) { cutter in
        let cut = try await TestDaemon.start(on: daemon.database, through: cutter.settings)
        try await Interferer.with(daemon) { interferer in
          await cutter.cutNext(.after)
          async let answer = status(.numbered(1), .disabled, key: key, on: cut)
          // Somebody else undoes it as soon as it is done.
          try await interferer.waitUntil("exists (select from kith.users where status = 'disabled')")
          _ = try await status(.numbered(1), .active, key: nil, on: daemon)
          let told = try await answer
          #expect(told.new?.status == .disabled || told.kept?.contains("disabled") == true)
        }
        #expect(await cutter.cuts == 1)
        await cut.stop()
      }
      #expect(try await traces(on: daemon) == (key == nil ? "2 2 0 1" : "2 2 1 1"))
      #expect(
        try await daemon.texts("select action from kith.audit order by seq") == ["user.disable", "user.enable"])
    }
  }

  @Test(arguments: CommitCutter.Moment.allCases)
  func `connections cut on either side of COMMIT make no false failure and nothing twice`(
    moment: CommitCutter.Moment
  ) async throws {
    try await TestDaemon.with(Seed.users(Self.roundCount)) { daemon async throws in
      try await CommitCutter.with(daemon.database) { cutter in
        let cut = try await TestDaemon.start(on: daemon.database, through: cutter.settings)
        let update = UpdateUser(writes: cut.writes, circumstances: cut.circumstances)
        for round in 1...Self.roundCount {
          let user = UserID.numbered(UInt64(round))
          let key = round % 2 == 0 ? ExactText("k\(round)") : nil
          await cutter.cutNext(moment)
          if round % 3 == 0 {
            let call = ChangeCall<UserRecord>.test(method: "user.update", key: key)
            _ = try await cut.run { () async throws in
              try await update.update(.init(user: user, profile: Profile(nickname: "mi"), clear: [], call: call))
            }
          } else {
            _ = try await status(user, .disabled, key: key, on: cut)
          }
        }
        #expect(await cutter.cuts == Self.roundCount)
        await cut.stop()
      }
      #expect(
        try await daemon.texts(
          """
          select concat_ws(' ', count(*), count(distinct user_id), (select count(*) from kith.audit),
            (select count(distinct user_id) from kith.audit), (select count(*) from kith.request_keys))
          from kith.events
          """) == ["120 120 120 120 60"])
    }
  }

  @Test func `connections ended at random moments make no false failure and nothing twice`() async throws {
    try await TestDaemon.with(Seed.users(Self.roundCount)) { daemon async throws in
      try await Interferer.with(daemon) { interferer in
        var failedCount = 0
        for round in 1...Self.roundCount {
          let user = UserID.numbered(UInt64(round))
          try await interferer.waitUntil(
            """
            4 <= (
              select count(*) from pg_stat_activity
              where datname = current_database() and usename = 'kith_runtime' and state = 'idle')
            """)
          async let outcome = outcome(of: user, key: round % 2 == 0 ? ExactText("k\(round)") : nil, on: daemon)
          for _ in 0..<Int.random(in: 0...1500) { await Task.yield() }
          try await interferer.terminateDaemon()
          let told = try await outcome
          failedCount += told == .unavailable ? 1 : 0
          try await interferer.check(user, wasChanged: told == .changed)
        }
        // Otherwise the connections were always ended too early to tell anything.
        #expect(failedCount < Self.roundCount)
      }
      #expect(
        try await daemon.texts(
          """
          select concat_ws(' ', (select count(*) from kith.events) = (select count(*) from kith.audit),
            (select count(*) from kith.events) = (select count(*) from kith.users where status = 'disabled'),
            (select max(epoch) from kith.users), (select ok from kith.verify_audit()))
          """) == ["t t 1 t"])
    }
  }

  private enum Outcome {
    case changed
    case unavailable
  }

  private func outcome(of user: UserID, key: ExactText?, on daemon: TestDaemon) async throws -> Outcome {
    do {
      _ = try await status(user, .disabled, key: key, on: daemon)
      return .changed
    } catch OperationError.databaseUnavailable {
      return .unavailable
    }
  }
}

extension Interferer {
  /// Fails unless the user was changed exactly once, or not at all.
  fileprivate func check(_ user: UserID, wasChanged: Bool) async throws {
    try await script(
      """
      do $$ begin
        assert (select count(*) from kith.events where user_id = '\(user)') = \(wasChanged ? 1 : 0), 'events';
        assert (select count(*) from kith.audit where user_id = '\(user)') = \(wasChanged ? 1 : 0), 'audit';
        assert (select epoch from kith.users where id = '\(user)') = \(wasChanged ? 1 : 0), 'epoch';
      end $$
      """)
  }
}
