import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// A merge is whole or absent whatever breaks, and a repeat under its request key tells which.
  @Suite
  struct MergeFaultTests {
    private static let couples = 8
    private static let acceptsText = "database system is ready to accept connections"

    private func couples(on trial: DaemonTrial, _ answers: AnswerCount) async throws -> [MergedCouple] {
      let peer = try trial.connect()
      defer { peer.close() }
      var couples: [MergedCouple] = []
      for number in 0..<Self.couples {
        couples.append(try await MergedCouple(number: number, answers: answers, on: peer))
      }
      return couples
    }

    /// Has all merge and part until `fault` is through.
    private func work(
      _ couples: [MergedCouple], on trial: DaemonTrial, _ answers: AnswerCount,
      _ fault: () async throws -> Void
    ) async throws {
      let peers = try couples.map { _ in try trial.connect() }
      defer { for peer in peers { peer.close() } }
      answers.open()
      async let work: Void = callOnAll(peers, couples, answers)
      do {
        try await fault()
      } catch {
        for peer in peers { peer.close() }
        throw error
      }
      for peer in peers { peer.close() }
      await work
    }

    private func callOnAll(_ peers: [TestPeer], _ couples: [MergedCouple], _ answers: AnswerCount) async {
      await withDiscardingTaskGroup { group in
        for (couple, peer) in zip(couples, peers) { group.addTask { await couple.run(on: peer) } }
      }
      answers.close()
    }

    private func settle(_ couples: [MergedCouple], on trial: DaemonTrial) async throws {
      let peer = try trial.connect()
      defer { peer.close() }
      for couple in couples { try await couple.settle(on: peer) }
    }

    @Test func `a daemon that is killed leaves every merge whole or absent`() async throws {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let answers = AnswerCount()
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var daemon = try await trial.start()
          let couples = try await couples(on: trial, answers)
          for _ in 0..<rounds(12) {
            try await work(couples, on: trial, answers) { [daemon] in
              await answers.wait(for: .random(in: 1...60))
              try await daemon.endAtOnce()
            }
            try await trial.expectDiscretion(of: daemon)
            try await reader.waitUntilQuiet()
            try await TestDatabase.expectConsistency { try await reader.texts($0) }
            daemon = try await trial.start()
            try await settle(couples, on: trial)
          }
          try await trial.end(daemon)
        }
        try await TestDatabase.expectConsistency { try await reader.texts($0) }
        #expect(try await reader.texts("select ok::text from kith.verify_audit()") == ["true"])
        let merges = try await reader.count("select count(*)::text from kith.merges")
        tell("merges: \(merges)")
      }
    }

    @Test func `a PostgreSQL that is killed leaves every merge whole or absent`() async throws {
      try await DaemonTrial.with { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        let answers = AnswerCount()
        try await trial.withDaemon { daemon in
          let couples = try await couples(on: trial, answers)
          for _ in 0..<rounds(3) {
            let saidBefore = try await daemon.said().count
            try await work(couples, on: trial, answers) {
              await answers.wait(for: .random(in: 1...60))
              let file = try String(contentsOfFile: "\(trial.state)/postgres/data/postmaster.pid", encoding: .utf8)
              kill(try #require(file.split(separator: "\n").first.flatMap { pid_t($0) }), SIGKILL)
              // Either that many more are answered, or everybody was refused.
              await answers.wait(for: 80)
            }
            _ = try await daemon.line(containing: Self.acceptsText, skipping: saidBefore)
            try await settle(couples, on: trial)
            try await TestDatabase.expectConsistency { try await reader.texts($0) }
          }
          #expect(try await reader.texts("select ok::text from kith.verify_audit()") == ["true"])
        }
      }
    }
  }
}
