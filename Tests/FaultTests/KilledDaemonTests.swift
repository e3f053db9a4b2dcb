import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// `kill -9` of the daemon itself.
  @Suite
  struct KilledDaemonTests {
    @Test func `a daemon that is killed under load loses no answer and makes nobody twice`() async throws {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = Ledger(tag: "killed", people: 200 * rounds(1))
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var starts: [Duration] = []
          for _ in 0..<rounds(10) {
            let daemon = try await trial.launch()
            starts.append(try await daemon.ready())
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
              await ledger.waitForAnswers(.random(in: 1...60))
              try await daemon.endAtOnce()
            }
            try await trial.expectDiscretion(of: daemon)
            try await reader.waitUntilQuiet()
            let kept = try await reader.keptKeys()
            try await trial.withDaemon { _ in
              let peer = try trial.connect()
              defer { peer.close() }
              try await ledger.settle(on: peer, kept: kept)
            }
          }
          expectPromised(starts)
        }
        try await expectOneUserEach(ledger, reader)
      }
    }

    @Test func `a killed daemon comes back with its own PostgreSQL`() async throws {
      try await DaemonTrial.with { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        let ledger = Ledger(tag: "embedded", people: 60)
        var daemon = try await trial.start()
        var starts: [Duration] = []
        for _ in 0..<rounds(4) {
          try await SignInLoad(ledger: ledger, paths: [trial.app]).run { [daemon] in
            await ledger.waitForAnswers(.random(in: 1...40))
            try await daemon.endAtOnce()
          }
          try await trial.expectDiscretion(of: daemon)
          daemon = try await trial.launch()
          starts.append(try await daemon.ready())
          let kept = try await reader.keptKeys()
          let peer = try trial.connect()
          defer { peer.close() }
          try await ledger.settle(on: peer, kept: kept)
        }
        expectPromised(starts)
        try await expectOneUserEach(ledger, reader)
        try await trial.end(daemon)
      }
    }

    @Test func `two daemons on one database, killed at random, agree on who is who`() async throws {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = Ledger(tag: "pair", people: 30)
        try await DaemonTrial.with(database: database.conninfo()) { first in
          var second = first
          second.name = "e"
          second.stateName = "state-e"
          for _ in 0..<rounds(5) {
            let daemons = [try await first.start(), try await second.start()]
            try await SignInLoad(ledger: ledger, paths: [first.app, second.app]).run {
              for daemon in daemons.shuffled() {
                await ledger.waitForAnswers(.random(in: 1...30))
                try await daemon.endAtOnce()
                try await first.expectDiscretion(of: daemon)
              }
            }
            try await reader.waitUntilQuiet()
            let kept = try await reader.keptKeys()
            try await second.withDaemon { _ in
              let peer = try second.connect()
              defer { peer.close() }
              try await ledger.settle(on: peer, kept: kept)
            }
          }
        }
        try await expectOneUserEach(ledger, reader)
      }
    }
  }

  /// Everybody who was answered for is one user, with one event that says so, and nobody else is there.
  static func expectOneUserEach(_ ledger: Ledger, _ reader: DatabaseReader) async throws {
    let people = ledger.knownPeople
    #expect(people > 0)
    #expect(try await reader.count("select count(*)::text from kith.users") == people)
    #expect(try await reader.count("select count(*)::text from kith.emails") == people)
    #expect(
      try await reader.count("select count(*)::text from kith.events where type = 'user.registered'") == people)
    #expect(
      try await reader.texts(
        """
        select concat_ws(' ', i.subject, count(distinct i.user_id)) from kith.identities i
        group by i.subject having count(distinct i.user_id) > 1
        """) == [])
  }
}
