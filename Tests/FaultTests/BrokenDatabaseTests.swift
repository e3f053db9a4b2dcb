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

    /// - Parameter recovers: whether PostgreSQL as a whole is away for a moment.
    private func breakUnderLoad(
      times: Int, recovers: Bool, _ fault: @escaping @Sendable (DaemonTrial) async throws -> Void
    ) async throws {
      try await DaemonTrial.with { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        let ledger = Ledger(tag: "broken", people: 400)
        try await trial.withDaemon { daemon in
          for _ in 0..<times {
            let saidBefore = try await daemon.said().count
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
              await ledger.waitForAnswers(.random(in: 1...40))
              try await fault(trial)
              // Either that many more are answered, or everybody was refused.
              await ledger.waitForAnswers(40)
            }
            if recovers { try await expectRecovery(of: daemon, trial, saidBefore) }
            let kept = try await reader.keptKeys()
            let peer = try trial.connect()
            defer { peer.close() }
            try await ledger.settle(on: peer, kept: kept, refusals: ["database_unavailable"])
          }
        }
        try await trial.withDaemon { _ in try await expectOneUserEach(ledger, reader) }
      }
    }

    /// Soon after PostgreSQL accepts connections every loop of the daemon serves again.
    private func expectRecovery(of daemon: DaemonProcess, _ trial: DaemonTrial, _ saidBefore: Int) async throws {
      let accepts = try await daemon.line(containing: Self.acceptsText, skipping: saidBefore)
      for _ in 0..<4 {
        let peer = try trial.connect()
        defer { peer.close() }
        var answer = try await peer.call("user.get", #"{"email":"nobody@example.org"}"#)
        while answer.reason == "database_unavailable", accepts.at.duration(to: .now) < promised * 5 {
          answer = try await peer.call("user.get", #"{"email":"nobody@example.org"}"#)
        }
        #expect(answer.reason == "not_found")
      }
      #expect(accepts.at.duration(to: .now) < promised)
    }
  }
}
