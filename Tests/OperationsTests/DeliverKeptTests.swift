import Accounts
import Crypto
import Foundation
import Operations
import Spool
import Store
import TestSupport
import Testing
import Vault

/// What is delivered twice, because a daemon was ended before it had removed its file.
struct DeliverKeptTests {
  private static func entry(_ number: UInt64, _ claims: String, after seconds: Double) throws -> SpoolEntry {
    let at = TestDaemon.now.advanced(bySeconds: seconds)
    return SpoolEntry(
      id: RegistrationID(version7At: TestDaemon.now, random: (number << 20, number << 20)),
      identity: IdentityKey(try #require(Namespace("apple:TEAM")), try #require(Subject("mira"))),
      link: "verified_email", caller: .tester, receivedAt: at, expiresAt: TestDaemon.now.advanced(bySeconds: 86_400),
      claims: SecretBytes(copying: claims.utf8))
  }

  @Test func `what was delivered before changes nothing, also after it was completed and the identity has left`()
    async throws
  {
    let folder = NSTemporaryDirectory() + "kith-deliver-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let spool = try Spool(folder: folder)
    try await TestDaemon.with(Seed.users(1)) { daemon async throws in
      let ring = try KeyRing(TestKeys.keyset(), random: .system)
      let id = try await daemon.database.sealedSeed(by: TestKeys.keyset()).databaseID
      let shared = SharedSealer(ring, databaseID: id)
      let deliver = DeliverKept(
        writes: daemon.writes, details: DetailsSpool(spool, sealer: shared) { Issue.record("\($0)") }, sealer: shared,
        circumstances: daemon.circumstances)
      let said = [
        try Self.entry(1, #"{"email":"a@example.org","email_verified":true,"profile":{}}"#, after: -3),
        try Self.entry(2, #"{"email":"a@example.org","email_verified":false,"profile":{"nickname":"n"}}"#, after: -2),
      ]
      func deliverAgain(_ entries: [SpoolEntry]) async throws {
        try spool.forceToDisk(spool.write(entries, by: Sealer(ring, databaseID: id)), holding: entries)
        let outcome = try await daemon.run { await deliver.runOnce { _ in true } }
        #expect(outcome.failure == nil && outcome.problems.isEmpty && outcome.undeliverable.isEmpty, "\(outcome)")
        #expect(!deliver.hasWork)
      }
      func state() async throws -> [String] { try await daemon.texts("select r::text from kith.registrations r") }
      try await deliverAgain(said)
      let first = try await state()
      #expect(first.count == 1)
      for entries in [said, [said[0]], [said[1]], [said[1], said[0]]] {
        try await deliverAgain(entries)
        #expect(try await state() == first, "\(entries.map(\.id))")
      }
      try await daemon.database.script(
        """
        update kith.registrations set sealed = null, key_id = null, email_index = null, completed_at = now(),
          user_id = '01920000-0000-7000-8000-000000000001'
        """, as: .superuser)
      let completed = try await state()
      try await deliverAgain([said[0]])
      #expect(try await state() == completed)
      #expect(try await daemon.count("select count(*)::text from kith.events") == 1)
    }
  }
}
