import Accounts
import Crypto
import FoundationEssentials
import Glibc
import Spool
import TestSupport
import Testing
import Vault

@testable import kith

/// A keyset is gone, and no backup has it.
@Suite(.timeLimit(.minutes(3))) struct LostKeysTests {
  /// Puts what a killed daemon would have left.
  private func spool(_ numbers: Range<Int>, in folder: DaemonFolder, by seed: SealedSeed) throws {
    let spool = try Spool(folder: folder.path + "/spool")
    let sealer = Sealer(seed.keyRing, databaseID: seed.databaseID)
    let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    let entries = try numbers.map { number in
      SpoolEntry(
        id: RegistrationID(SealedSeed.id(number)),
        identity: IdentityKey(
          try #require(Namespace("apple:TEAM000001")), try #require(Subject("spooled.\(number)"))),
        link: "verified_email", caller: try #require(CallerName("web")), receivedAt: now,
        expiresAt: now.advanced(bySeconds: 86_400), claims: SecretBytes(copying: #"{"profile":{}}"#.utf8))
    }
    try spool.forceToDisk(try spool.write(entries, by: sealer), holding: entries)
  }

  @Test func `what lost keys sealed is given up, and everything else is there when the daemon starts again`()
    async throws
  {
    try await DaemonFolder.with { folder, database in
      let (k2, first) = (try TestKeys.keyID("k2"), try TestKeys.keyset())
      let both = try first.adding(k2, TestKeys.key(2))
      try TestKeys.write(both, to: folder.keyset)
      let kith = CommandTrial(folder: folder.path)
      func giveUp(_ words: String...) async -> CommandTrial.Result {
        await kith.run(
          ["key", "give-up", "--keyset", "$FOLDER/keyset.json", "--reason", "the disk burnt"] + words)
      }
      var user: String?
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        let peer = try TestPeer(path: folder.app)
        user = try await peer.signIn("apple", "mira", "mira@example.org", verified: true).userID
        peer.close()
        let (lost, known) = (
          try await database.sealedSeed(by: both), try await database.sealedSeed(by: both.promoting(k2))
        )
        try await database.script(
          lost.credentials(0..<5) + lost.registrations(0..<4) + lost.answers(0..<3) + known.credentials(5..<8)
            + known.registrations(5..<6) + known.answers(5..<6), as: .superuser)
        // Wherever its spool is, nothing is taken from under a daemon.
        let served = await giveUp("--config", "$FOLDER/kith.json5", "--state-dir", "/nonexistent", "--yes")
        #expect(served.exitCode == 1 && served.error.contains("a kithd still serves the database"), "\(served.error)")
        let inUse = await giveUp("--config", "$FOLDER/kith.json5", "--yes")
        #expect(inUse.exitCode == 1 && inUse.error.contains("another process uses the spool"), "\(inUse.error)")
        try await daemon.stop()
        try spool(0..<2, in: folder, by: lost)
      } catch {
        try await daemon.endAtOnce()
        throw error
      }

      try TestKeys.write(Keyset(first: k2, TestKeys.key(2)), to: folder.keyset)
      let refused = try await DaemonProcess.start(folder.arguments)
      #expect(try await refused.exit() == .exited(1))
      _ = try await refused.line(containing: #"still uses key "k1", which the keyset does not have"#)
      _ = try await refused.line(containing: "kith key give-up")

      let records = "4 held registrations, 5 credentials, 3 kept answers"
      let declined = await kith.run(
        "key", "give-up", "--keyset", "$FOLDER/keyset.json", "--reason", "r", "--config", "$FOLDER/kith.json5",
        "--database", database.conninfo(for: .owner), width: 80, input: ["n"])
      #expect(declined.exitCode == 1 && declined.error.contains("nothing was changed"), "\(declined.error)")
      #expect(declined.output.replacing("\n", with: " ").contains("key k1. What cannot be opened without: \(records),"))
      #expect(try await database.texts("select id::text from kith.credentials").count == 8)

      // As the daemon's own role.
      let done = await giveUp("--config", "$FOLDER/kith.json5", "--yes")
      #expect(done.exitCode == 0, "\(done.error)")
      let words = done.output.replacing("\n", with: " ")
      #expect(words.contains("given up: \(records), 2 sign-ins that wait in the spool"), "\(done.output)")
      let again = await giveUp("--config", "$FOLDER/kith.json5", "--yes")
      #expect(again.output.hasPrefix("nothing was to be given up"), "\(again.output) \(again.error)")

      let mended = try await DaemonProcess.start(folder.arguments)
      do {
        try await mended.ready()
        let peer = try TestPeer(path: folder.admin)
        let found = try await peer.call("user.get", #"{"provider":"apple","subject":"mira"}"#)
        #expect(found.result?["user"]?["id"]?.string == user && user != nil, "\(found.text)")
        let held = try await peer.call("registration.list").result?["items"]?.elements ?? []
        #expect(held.count == 1 && held.first?["details"]?["email"]?.string == "Person5@Example.org")
        let audit = try await peer.call("audit.list").result?["items"]?.elements.first
        #expect(audit?["action"]?.string == "key.give_up" && audit?["reason"]?.string == "the disk burnt")
        #expect(audit?["data"]?["keys"]?.elements.map(\.string) == ["k1"])
        #expect(try await peer.call("audit.verify").result?["ok"]?.bool == true)
        peer.close()
        try await mended.stop()
      } catch {
        try await mended.endAtOnce()
        throw error
      }
      let opened = try await database.credentials(openedBy: Keyset(first: k2, TestKeys.key(2)))
      #expect(Set(opened.keys) == [5, 6, 7])
      #expect(
        try await database.texts("select action from kith.credential_history") == Array(repeating: "delete", count: 5))
      #expect(
        try await database.texts("select type from kith.events where type like 'registration.%'")
          == Array(repeating: "registration.expired", count: 4))
    }
  }

  @Test func `an id that stood for another key is no proof that what it sealed opens`() async throws {
    try await DaemonFolder.with { folder, database in
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        try await daemon.stop()
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
      let seed = try await database.sealedSeed(by: TestKeys.keyset())
      try await database.script(seed.credentials(0..<1), as: .superuser)
      try TestKeys.write(Keyset(first: TestKeys.keyID("k1"), TestKeys.key(9)), to: folder.keyset)
      let refused = await CommandTrial(folder: folder.path).run(
        "key", "give-up", "--keyset", "$FOLDER/keyset.json", "--reason", "r", "--config", "$FOLDER/kith.json5", "--yes")
      #expect(refused.exitCode == 1)
      #expect(refused.error.contains("key k1 of the keyset is another than the database knows"), "\(refused.error)")
      #expect(try await database.texts("select id::text from kith.credentials").count == 1)
    }
  }
}
