import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// PostgreSQL breaks and the daemon stays.
  @Suite
  struct BrokenDatabaseTests {
    private static let acceptsText = "database system is ready to accept connections"

    @Test func `a server process that is told to end costs no answer its truth`() async throws {
      try await breakUnderLoad(times: rounds(10), recovers: false) { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        guard let process = try await reader.backends().randomElement() else { return }
        try await reader.script("do $$ begin perform pg_terminate_backend(\(process)); end $$")
      }
    }

    @Test func `a server process that is killed takes all others along, and the daemon serves again`() async throws {
      try await breakUnderLoad(times: rounds(4), recovers: true) { trial in
        guard let process = try await DatabaseReader(conninfo: trial.embeddedConninfo).backends().randomElement()
        else { return }
        kill(process, SIGKILL)
      }
    }

    @Test func `when the whole PostgreSQL is killed the daemon starts it and serves again`() async throws {
      try await breakUnderLoad(times: rounds(3), recovers: true) { trial in
        let file = try String(contentsOfFile: "\(trial.state)/postgres/data/postmaster.pid", encoding: .utf8)
        kill(try #require(file.split(separator: "\n").first.flatMap { pid_t($0) }), SIGKILL)
      }
    }

    @Test func `a server process that is stuck keeps those who asked it, and nobody else`() async throws {
      try await TestDatabase.with { database in
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var trial = trial
          // So that all look-ups go the same way.
          trial.more = "threads: 1,"
          try await trial.withDaemon { _ in
            let peers = try (0..<5).map { _ in try trial.connect() }
            defer { for peer in peers { peer.close() } }
            for word in ["registered", "signed_in"] { #expect(try await peers[0].signIn("apple", "a").word == word) }
            let process = try await lookUpProcess(of: database)
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            // As many as are under way together, each of another turn of the loop.
            for peer in peers.prefix(3) {
              peer.send(TestPeer.call("signin.resolve", SignInCall("apple", "a").json, id: "0"))
              #expect(try await peer.call("system.ping").result != nil)
            }
            async let kept = answerAndTime(of: peers[0])
            // Too many for each of them to wait until the process is found to be late.
            for _ in 0..<50 {
              for peer in peers.suffix(2) { #expect(try await peer.signIn("apple", "a").word == "signed_in") }
            }
            let othersServed = ContinuousClock.now
            kill(process, SIGCONT)
            let (answer, time) = try await kept
            // Not because the daemon had given the process up.
            #expect(time > othersServed)
            #expect(answer.word == "signed_in")
            for peer in peers[1..<3] { #expect(try await peer.answer().word == "signed_in") }
          }
        }
      }
    }

    /// The server process that looks identities up.
    private func lookUpProcess(of database: TestDatabase) async throws -> pid_t {
      let found = try await DatabaseReader(conninfo: database.conninfo(for: .superuser)).texts(
        """
        select pid::text from pg_stat_activity
        where usename = 'kith_runtime' and datname = current_database() and query like '%unnest%with ordinality k%'
        """)
      #expect(found.count == 1)
      return try #require(found.first.flatMap { pid_t($0) })
    }

    private func answerAndTime(of peer: TestPeer) async throws -> (WireAnswer, ContinuousClock.Instant) {
      (try await peer.answer(), .now)
    }

    /// - Parameter recovers: whether PostgreSQL as a whole is away for a moment.
    private func breakUnderLoad(
      times: Int, recovers: Bool, _ fault: @escaping @Sendable (DaemonTrial) async throws -> Void
    ) async throws {
      try await DaemonTrial.with { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        let ledger = Ledger(tag: "broken", people: 400)
        try await trial.withDaemon { daemon in
          var recoveries: [Duration] = []
          for _ in 0..<times {
            let saidBefore = try await daemon.said().count
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
              await ledger.waitForAnswers(.random(in: 1...40))
              try await fault(trial)
              // Either that many more are answered, or everybody was refused.
              await ledger.waitForAnswers(40)
            }
            if recovers { recoveries.append(try await recovery(of: daemon, trial, saidBefore)) }
            let kept = try await reader.keptKeys()
            let peer = try trial.connect()
            defer { peer.close() }
            try await ledger.settle(on: peer, kept: kept, refusals: ["database_unavailable"])
          }
          if recovers { expectPromised(recoveries) }
        }
        try await trial.withDaemon { _ in try await expectOneUserEach(ledger, reader) }
      }
    }

    /// How soon after PostgreSQL accepts connections every loop of the daemon serves again.
    private func recovery(
      of daemon: DaemonProcess, _ trial: DaemonTrial, _ saidBefore: Int
    ) async throws -> Duration {
      let accepts = try await daemon.line(containing: Self.acceptsText, skipping: saidBefore)
      for _ in 0..<4 {
        let peer = try trial.connect()
        defer { peer.close() }
        var answer = try await peer.call("user.get", #"{"email":"nobody@example.org"}"#)
        while answer.reason == "database_unavailable", accepts.at.duration(to: .now) < promised * 20 {
          answer = try await peer.call("user.get", #"{"email":"nobody@example.org"}"#)
        }
        #expect(answer.reason == "not_found")
      }
      return accepts.at.duration(to: .now)
    }
  }
}
