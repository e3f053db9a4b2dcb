import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// What a person told once outlives whatever breaks.
  @Suite
  struct HeldPeopleTests {
    private static let acceptsText = "database system is ready to accept connections"

    @Test func `a daemon that is killed loses nobody's name, makes nobody twice and miscounts no failure`() async throws
    {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = ArrivalLedger(tag: "killed")
        var spooledCount = 0
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var daemon = try await trial.start()
          for _ in 0..<rounds(25) {
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run { [daemon] in
              await ledger.answers.wait(for: .random(in: 1...60))
              try await daemon.endAtOnce()
            }
            try await trial.expectDiscretion(of: daemon)
            try await reader.waitUntilQuiet()
            let spooled = try await trial.arrivalsInSpool(of: database, tag: ledger.tag)
            spooledCount += spooled.count
            daemon = try await trial.start()
            let peer = try trial.connect()
            defer { peer.close() }
            try await peer.waitUntilDelivered()
            try await ledger.settle(on: peer, reader, spooled: spooled)
          }
          try await trial.end(daemon)
        }
        try await ledger.expectOneUserEach(reader)
        tell("in the spool when the daemon was killed: \(spooledCount)")
      }
    }

    @Test(arguments: ["all of it", "one of its processes"])
    func `a PostgreSQL that is killed costs nobody's name`(_ what: String) async throws {
      try await DaemonTrial.with { trial in
        let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
        let ledger = ArrivalLedger(tag: "broken")
        try await trial.withDaemon { daemon in
          for _ in 0..<rounds(3) {
            let saidBefore = try await daemon.said().count
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
              await ledger.answers.wait(for: .random(in: 1...40))
              kill(what == "all of it" ? try postmaster(trial) : try await backend(reader), SIGKILL)
              await ledger.answers.wait(for: 80)
            }
            _ = try await daemon.line(containing: Self.acceptsText, skipping: saidBefore)
            let peer = try trial.connect()
            defer { peer.close() }
            try await peer.waitUntilDelivered()
            try await ledger.settle(on: peer, reader, refusals: ["database_unavailable"])
          }
          try await ledger.expectOneUserEach(reader)
        }
      }
    }

    private func postmaster(_ trial: DaemonTrial) throws -> pid_t {
      let file = try String(contentsOfFile: "\(trial.state)/postgres/data/postmaster.pid", encoding: .utf8)
      return try #require(file.split(separator: "\n").first.flatMap { pid_t($0) })
    }

    private func backend(_ reader: DatabaseReader) async throws -> pid_t {
      try #require(try await reader.backends().randomElement())
    }

    @Test func `what is kept while the database is away outlives the daemon, and is delivered once`() async throws {
      try await withPooler { database, pooler, trial in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = ArrivalLedger(tag: "away")
        var daemon = try await trial.start()
        var spooledCount = 0
        for _ in 0..<rounds(2) {
          try await SignInLoad(ledger: ledger, paths: [trial.app]).run { [daemon] in
            await ledger.answers.wait(for: .random(in: 1...40))
            try await pooler.kill()
            await ledger.answers.wait(for: .random(in: 20...60))
            try await daemon.endAtOnce()
          }
          try await trial.expectDiscretion(of: daemon)
          let spooled = try await trial.arrivalsInSpool(of: database, tag: ledger.tag)
          spooledCount += spooled.count
          daemon = try await trial.start()
          try await SignInLoad(ledger: ledger, paths: [trial.app]).run {
            await ledger.answers.wait(for: 40)
            try await pooler.start()
            await ledger.answers.wait(for: 80)
          }
          let peer = try trial.connect()
          defer { peer.close() }
          try await peer.waitUntilDelivered()
          try await ledger.settle(on: peer, reader, spooled: spooled, refusals: ["database_unavailable"])
        }
        try await trial.end(daemon)
        try await ledger.expectOneUserEach(reader)
        tell("in the spool when the daemon was killed: \(spooledCount)")
      }
    }

    @Test func `what is kept is delivered in the order in which it was said`() async throws {
      try await withPooler { database, pooler, trial in
        var daemon = try await trial.start()
        try await pooler.kill()
        for start in [0, 10] {
          let peer = try trial.connect()
          defer { peer.close() }
          for number in start..<start + 10 {
            for (subject, link) in [
              ("\(number)", "verified_email"), ("often", number == 19 ? "never" : "verified_email"),
            ] {
              let answer = try await peer.signIn(
                "apple", subject, "a\(number)@example.org", verified: true, #""nickname":"n\#(number)""#,
                #""link":"\#(link)""#, number == 0 ? #""locale":"ko""# : #""register":"hold""#)
              #expect(answer.error?["data"]?["kept"]?.bool == true, "\(answer.text)")
            }
          }
          guard start == 0 else { continue }
          try await daemon.endAtOnce()
          daemon = try await trial.start()
        }
        try await pooler.start()
        let peer = try trial.connect()
        defer { peer.close() }
        try await peer.waitUntilDelivered()
        let items = try await peer.call("registration.list").result?["items"]?.elements ?? []
        #expect(items.map { $0["subject"]?.string } == ["0", "often"] + (1..<20).map { "\($0)" })
        let often = items.first { $0["subject"]?.string == "often" }?["details"]
        #expect(often?["nickname"]?.string == "n19" && often?["email"]?.string == "a19@example.org")
        #expect(often?["locale"]?.string == "ko")
        #expect(
          try await database.texts("select link from kith.registrations where subject = 'often'") == ["never"])
        try await trial.end(daemon)
      }
    }
  }

  /// Lends a trial whose daemons reach a database through what can be taken away.
  static func withPooler(
    _ body: (TestDatabase, TestPooler, DaemonTrial) async throws -> Void
  ) async throws {
    try await TestDatabase.with { database in
      try await TestPooler.with(database, connections: 16) { pooler in
        try await DaemonTrial.with(database: pooler.conninfo()) { trial in
          var trial = trial
          trial.more = #"database_pooler: "transaction","#
          try await body(database, pooler, trial)
        }
      }
    }
  }
}
