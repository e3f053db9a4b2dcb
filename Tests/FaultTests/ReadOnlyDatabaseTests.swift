import TestSupport
import Testing

extension FaultTests {
  /// The database answers and takes no changes.
  @Suite
  struct ReadOnlyDatabaseTests {
    /// Within how long after a promotion the daemon promises to write again.
    private static let promisedAfterPromotion = Duration.seconds(5)
    private static let known = #"{"provider":"apple","subject":"known"}"#

    @Test func `a read-only database is told as such, serves what reads, and is written to once it may be`()
      async throws
    {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          try await trial.withDaemon { daemon in
            #expect(try await trial.call("signin.resolve", Self.known).outcome == "registered")
            try await expectWritable(true, trial)

            // Holds for sessions that begin from now on.
            try await reader.script(
              """
              do $$ begin
                execute format('alter database %I set default_transaction_read_only = on', current_database());
                perform pg_terminate_backend(pid) from pg_stat_activity
                where usename = 'kith_runtime' and datname = current_database();
              end $$
              """)
            _ = try await daemon.line(containing: "warning: the database is read-only")
            try await expectReadOnly(trial)
            try await expectWritable(false, trial)

            try await reader.script(
              """
              begin read write;
              do $$ begin
                execute format('alter database %I reset default_transaction_read_only', current_database());
              end $$;
              commit
              """)
            // The sessions of before go on as they began, so it takes new ones.
            try await register("later", trial)
            _ = try await daemon.line(containing: "kithd: the database takes changes again")
            try await expectWritable(true, trial)
          }
        }
      }
    }

    @Test func `a standby is told as such, serves what reads, and is written to once it is promoted`() async throws {
      try await ReplicatedPair.with { pair in
        try await DaemonTrial.with(database: pair.conninfo) { trial in
          // The database knows the namespaces and one person.
          try await trial.withDaemon { _ async throws in
            #expect(try await trial.call("signin.resolve", Self.known).outcome == "registered")
          }
          var trial = trial
          trial.database = pair.conninfoOfStandbyAlone
          try await trial.withDaemon { [trial] daemon in
            _ = try await daemon.line(containing: "warning: the database is read-only")
            try await expectReadOnly(trial)
            try await expectWritable(false, trial)
            try await pair.killPrimary()
            try await pair.promote()
            try await register("later", trial)
            _ = try await daemon.line(containing: "kithd: the database takes changes again")
          }
        }
      }
    }

    @Test func `of several hosts the daemon takes the one that takes changes, without being told to`() async throws {
      try await ReplicatedPair.with { pair in
        try await DaemonTrial.with(database: pair.conninfoOfStandbyFirst) { trial in
          try await trial.withDaemon { daemon in
            #expect(try await trial.call("signin.resolve", Self.known).outcome == "registered")
            try await expectWritable(true, trial)
            try await pair.killPrimary()
            // Nobody is left but the standby.
            _ = try await daemon.line(containing: "warning: the database is read-only")
            try await expectRefusal(of: "signin.resolve", #"{"provider":"apple","subject":"new"}"#, trial)
            try await pair.promote()
            try await register("later", trial)
          }
        }
      }
    }

    /// What is there is answered, what would have to be written is refused with the reason.
    private func expectReadOnly(_ trial: DaemonTrial) async throws {
      // A standby may be a moment behind.
      let start = ContinuousClock.now
      var known: WireAnswer
      repeat {
        known = try await trial.call("signin.resolve", Self.known)
      } while known.reason == "database_unavailable" && start.duration(to: .now) < Self.promisedAfterPromotion
      #expect(known.outcome == "signed_in")
      let user = try #require(known.result?["user"]?["id"]?.string)
      #expect(try await trial.call("user.get", #"{"id":"\#(user)"}"#).reason == nil)
      try await expectRefusal(of: "signin.resolve", #"{"provider":"apple","subject":"new"}"#, trial)
      try await expectRefusal(of: "user.disable", #"{"id":"\#(user)","reason":"a test"}"#, trial)
    }

    /// Calls until the refusal says why: each loop of the daemon finds out by itself, and connects anew meanwhile.
    private func expectRefusal(of method: String, _ params: String, _ trial: DaemonTrial) async throws {
      let start = ContinuousClock.now
      var refused: WireAnswer
      var saysWhy: Bool
      repeat {
        refused = try await trial.call(method, params)
        saysWhy = refused.error?["message"]?.string?.contains("read-only") ?? false
      } while refused.reason == "database_unavailable" && !saysWhy && start.duration(to: .now) < promised
      #expect(saysWhy, "\(method): \(refused.text)")
      #expect(refused.reason == "database_unavailable", "\(method)")
      #expect(refused.error?["data"]?["retryable"]?.bool == true, "\(method)")
    }

    private func expectWritable(_ isWritable: Bool, _ trial: DaemonTrial) async throws {
      let status = try await trial.call("server.status", onAdmin: true)
      #expect(status.result?["database"]?["state"]?.string == "up")
      #expect(status.result?["database"]?["read_only"]?.bool == !isWritable)
    }

    /// Signs somebody new in, as soon as the database takes it.
    private func register(_ subject: String, _ trial: DaemonTrial) async throws {
      let start = ContinuousClock.now
      var answer: WireAnswer
      repeat {
        answer = try await trial.call("signin.resolve", #"{"provider":"apple","subject":"\#(subject)"}"#)
      } while answer.reason == "database_unavailable" && start.duration(to: .now) < Self.promisedAfterPromotion
      #expect(answer.outcome == "registered")
    }
  }
}
