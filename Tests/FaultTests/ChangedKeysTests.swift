import FoundationEssentials
import Glibc
import TestSupport
import Testing
import Vault

extension FaultTests {
  /// Every sealed record gets another key while it is read and written.
  @Suite
  struct ChangedKeysTests {
    /// What fits into every run, or more, by `KITH_ROTATION_RECORDS`, for long ones.
    private static let records =
      ProcessInfo.processInfo.environment["KITH_ROTATION_RECORDS"].flatMap { Int($0) } ?? 2000
    /// How many rows one statement puts.
    private static let seedBatch = 500
    private static let clients = 8

    @Test func `keys change under load, across a kill, and no call fails`() async throws {
      let first = try TestKeys.keyset()
      let (k1, k2) = (try TestKeys.keyID("k1"), try TestKeys.keyID("k2"))
      let added = try first.adding(k2, TestKeys.key(2))
      let promoted = try added.promoting(k2)
      let retired = try promoted.retiring(k1)
      try await TestDatabase.with { database in
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var daemon = try await trial.start()
          let credentials = try await seed(database, by: first)
          let users = (0..<Self.clients).map { SealedLoad(number: $0, credentials: credentials) }
          let start = ContinuousClock.now
          try await run(users, on: trial, endsByKill: true) { [daemon] in
            for keyset in [added, promoted] { try await change(to: keyset, of: daemon, trial) }
            // Half of it, and then the daemon dies in the middle of a batch.
            var next: String?
            repeat {
              next = try await rewrap(trial, after: next).next
            } while try await remaining(trial) > Self.records / 2
            let admin = try TestPeer(path: trial.admin)
            defer { admin.close() }
            admin.send(TestPeer.call("key.rewrap", id: "0"))
            await admin.handedOver()
            try await daemon.endAtOnce()
          }
          let killed = ContinuousClock.now
          try await trial.expectDiscretion(of: daemon)
          daemon = try await trial.start()
          try await run(users, on: trial, endsByKill: false) { [daemon] in
            while try await remaining(trial) > 0 {
              var next: String?
              repeat { next = try await rewrap(trial, after: next).next } while next != nil
            }
            try await change(to: retired, of: daemon, trial)
          }
          tell(
            """
            \(Self.records) records: until the kill \(killed - start), in all \(.now - start); \
            \(users.reduce(0) { $0 + $1.calls }) calls beside
            """)
          try await expectEverythingOpens(users, credentials, trial)
          try await trial.end(daemon)
        }
      }
    }

    /// Gives how many credentials there are.
    private func seed(_ database: TestDatabase, by keyset: Keyset) async throws -> Int {
      let seed = try await database.sealedSeed(by: keyset)
      let (credentials, registrations) = (Self.records / 2, Self.records * 2 / 5)
      func put(_ count: Int, _ statement: (Range<Int>) throws -> String) async throws {
        for start in stride(from: 0, to: count, by: Self.seedBatch) {
          try await database.script(try statement(start..<min(start + Self.seedBatch, count)), as: .superuser)
        }
      }
      try await put(credentials) { try seed.credentials($0) }
      // Without it they would be taken for old rows that somebody put back.
      try await database.script(
        """
        insert into kith.credential_history
          (credential_id, version, access_group, account, service, action, at, caller, change_id)
        select c.id, c.version, c.access_group, c.account, c.service, 'add', c.created_at, 'web', c.id
        from kith.credentials c
        """, as: .superuser)
      try await put(registrations) { try seed.registrations($0, tenant: "FAULT00001") }
      try await put(Self.records - credentials - registrations) { try seed.answers($0) }
      return credentials
    }

    private func run(
      _ users: [SealedLoad], on trial: DaemonTrial, endsByKill: Bool,
      _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup { group in
        for user in users { group.addTask { try await user.run(on: trial, endsByKill: endsByKill) } }
        do {
          try await body()
        } catch {
          for user in users { user.stop() }
          throw error
        }
        for user in users { user.stop() }
        try await group.waitForAll()
      }
    }

    private func change(to keyset: Keyset, of daemon: DaemonProcess, _ trial: DaemonTrial) async throws {
      let said = try await daemon.said().count
      try TestKeys.write(keyset, to: "\(trial.folder)/keyset.json")
      daemon.signal(SIGHUP)
      let line = try await daemon.line(containing: "configuration", skipping: said)
      #expect(line.text.contains("the configuration was read again"), "\(line.text)")
    }

    private func rewrap(_ trial: DaemonTrial, after: String?) async throws -> (next: String?, remaining: Int) {
      let place = after.map { #","after":"\#($0)""# } ?? ""
      let answer = try await trial.call("key.rewrap", #"{"limit":100\#(place)}"#, onAdmin: true)
      try #require(answer.result?["failed"]?.integer == 0, "\(answer.text)")
      return (answer.result?["next"]?.string, try #require(answer.result?["remaining"]?.integer))
    }

    /// How many records the former key seals.
    private func remaining(_ trial: DaemonTrial) async throws -> Int {
      let keys = try await trial.call("key.status", onAdmin: true).result?["keys"]?.elements ?? []
      return try #require(keys.first { $0["id"]?.string == "k1" }?["records"]?.integer)
    }

    private func expectEverythingOpens(_ users: [SealedLoad], _ credentials: Int, _ trial: DaemonTrial) async throws {
      #expect(try await remaining(trial) == 0)
      for user in users { try await user.expectLastSecret(on: trial) }
      let peer = try trial.connect()
      defer { peer.close() }
      for number in 0..<credentials {
        let answer = try await peer.call("credential.get", SealedLoad.place("g", "a\(number)"))
        #expect(SealedLoad.secret(answer) == "secret \(number)", "\(answer.text)")
      }
      var (opened, after) = (0, "")
      repeat {
        let list = try await peer.call("registration.list", #"{"limit":1000\#(after)}"#).result
        opened += (list?["items"]?.elements ?? []).count { $0["details"]?["email"] != nil }
        after = list?["next"]?.string.map { #","after":"\#($0)""# } ?? ""
      } while !after.isEmpty
      let held = users.reduce(0) { $0 + $1.heldCount }
      #expect(opened >= Self.records * 2 / 5 + held, "\(opened) of which \(held) by the clients")
    }
  }
}
