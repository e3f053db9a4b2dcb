import TestSupport
import Testing

extension FaultTests {
  /// The database moves to another server, or a pooler stands before it, and the daemon stays.
  @Suite
  struct FailoverTests {
    /// Within how long after a promotion the daemon promises to write again.
    private static let promisedAfterPromotion = Duration.seconds(5)

    @Test func `when the primary is killed and the standby promoted, the daemon serves on and loses no answer`()
      async throws
    {
      try await ReplicatedPair.with { pair in
        let reader = DatabaseReader(conninfo: pair.standbyConninfo)
        let ledger = Ledger(tag: "failover", people: 400)
        try await DaemonTrial.with(database: pair.conninfo) { trial in
          try await trial.withDaemon { _ in
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
              await ledger.waitForAnswers(.random(in: 40...120))
              try await pair.killPrimary()
              try await pair.promote()
            }
            try await expectWrites(trial, ledger, since: .now)
            let kept = try await reader.keptKeys()
            let peer = try trial.connect()
            defer { peer.close() }
            try await ledger.settle(on: peer, kept: kept, refusals: ["database_unavailable"])
          }
        }
        try await expectOneUserEach(ledger, reader)
      }
    }

    /// Signs people in until one of them had to be written down.
    private func expectWrites(_ trial: DaemonTrial, _ ledger: Ledger, since start: ContinuousClock.Instant) async throws
    {
      let peer = try trial.connect()
      defer { peer.close() }
      var outcome: String?
      repeat {
        let (number, call) = ledger.nextCall()
        let answer = try await call.make(on: peer)
        ledger.note(answer, to: number)
        outcome = answer.outcome
      } while outcome == "signed_in"
      #expect(["registered", "linked"].contains(outcome))
      #expect(start.duration(to: .now) < Self.promisedAfterPromotion)
    }

    // MARK: A pooler

    @Test func `a pooler that is killed and started again costs no answer its truth`() async throws {
      try await breakUnderLoad(tag: "pooler") { pooler, _ in
        try await pooler.kill()
        try await pooler.start()
      }
    }

    @Test func `a server's connection that is killed behind the pooler costs no answer its truth`() async throws {
      try await breakUnderLoad(tag: "behind") { _, reader in
        guard let process = try await reader.backends().randomElement() else { return }
        try await reader.script("do $$ begin perform pg_terminate_backend(\(process)); end $$")
      }
    }

    /// - Parameter fault: by what the daemon's way to its database is broken; it is there again when this returns.
    private func breakUnderLoad(
      tag: String, _ fault: @escaping @Sendable (TestPooler, DatabaseReader) async throws -> Void
    ) async throws {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = Ledger(tag: tag, people: 400)
        try await TestPooler.with(database, connections: 4) { pooler in
          try await DaemonTrial.with(database: pooler.conninfo()) { trial in
            var trial = trial
            trial.more = #"database_pooler: "transaction","#
            try await trial.withDaemon { [trial] _ in
              for _ in 0..<rounds(5) {
                try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
                  await ledger.waitForAnswers(.random(in: 1...40))
                  try await fault(pooler, reader)
                  // Either that many more are answered, or everybody was refused.
                  await ledger.waitForAnswers(40)
                }
                try await expectWrites(trial, ledger, since: .now)
                let kept = try await reader.keptKeys()
                let peer = try trial.connect()
                defer { peer.close() }
                try await ledger.settle(on: peer, kept: kept, refusals: ["database_unavailable"])
              }
            }
          }
        }
        try await expectOneUserEach(ledger, reader)
      }
    }
  }
}
