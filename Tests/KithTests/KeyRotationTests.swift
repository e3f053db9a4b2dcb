import FoundationEssentials
import Glibc
import TestSupport
import Testing
import Vault

@testable import kith

/// Changing from one key to the next as an administrator does it: `kith`, the keyset file, and a daemon that is told to read
/// it again.
@Suite(.timeLimit(.minutes(5))) struct KeyRotationTests {
  private static let reread = "the configuration was read again"

  private func reload(_ daemon: DaemonProcess, said text: String = reread) async throws {
    let before = try await daemon.said().count
    daemon.signal(SIGHUP)
    _ = try await daemon.line(containing: text, skipping: before)
  }

  private static let stillUsed = #"the database or the spool still uses key "k1", which the keyset"#

  @Test func `a key is added, promoted, rewrapped to and the former one retired, and every record opens in between`()
    async throws
  {
    try await DaemonFolder.with { folder, database in
      unlink(folder.keyset)
      let kith = CommandTrial(folder: folder.path)
      let file = "$FOLDER/keyset.json"
      #expect(await kith.run("key", "add", "--keyset", file, "--id", "k1").exitCode == 0)
      let first = try KeysetFile.read(folder.keyset)
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        let seed = try await database.sealedSeed(by: first)
        try await database.script(
          seed.credentials(0..<700) + seed.registrations(0..<50) + seed.answers(0..<50), as: .superuser)
        func expectOpened() async throws {
          #expect(try await database.credentials(openedBy: KeysetFile.read(folder.keyset)).count == 700)
        }
        let socket = folder.admin

        let alone = await kith.run("key", "rewrap", "--socket", socket)
        #expect(alone.output.contains("key k1 seals everything\nThis daemon has read no other key."))
        #expect(await kith.run("key", "add", "--keyset", file, "--id", "k2").exitCode == 0)
        try await reload(daemon)
        try await expectOpened()
        #expect(await kith.run("key", "promote", "--keyset", file).exitCode == 0)
        // The daemon has not read it yet.
        let early = await kith.run("key", "retire", "--keyset", file, "--yes", "--socket", socket)
        #expect(early.exitCode == 1 && early.error.contains("the daemon still seals with key k1"))
        let unread = await kith.run("key", "rewrap", "--socket", socket)
        #expect(unread.output.hasPrefix("nothing was left to do: key k1 seals everything\nk2 seals nothing"))
        #expect(unread.output.contains("read the keyset, and run this again: systemctl reload kithd"))
        let json = await kith.run("key", "rewrap", "--json", "--socket", socket)
        #expect(json.output == #"{"primary":"k1","rewrapped":0,"failed":0,"remaining":0}"# + "\n")
        try await reload(daemon)
        try await expectOpened()
        let used = await kith.run("key", "retire", "--keyset", file, "--yes", "--socket", socket)
        #expect(used.exitCode == 1 && used.error.contains("key k1 still seals 800 records"))

        let rewrap = await kith.run("key", "rewrap", "--socket", socket)
        #expect(rewrap.output == "800 records are wrapped anew by key k2, which seals everything now\n")
        try await expectOpened()
        let again = await kith.run("key", "rewrap", "--socket", socket)
        #expect(again.output == "nothing was left to do: key k2 seals everything\n")
        #expect(await kith.run("key", "retire", "--keyset", file, "--yes", "--socket", socket).exitCode == 0)
        try await reload(daemon)
        try await expectOpened()
        let status = await kith.run("key", "status", "--json", "--socket", socket)
        #expect(status.output.contains(#"{"id":"k1","state":"retired","records":0"#))
        try await daemon.stop()
        let away = await kith.run("key", "retire", "--keyset", file, "--id", "k1", "--yes", "--socket", socket)
        // What is wrong with the wish itself comes first.
        #expect(away.exitCode == 1)
        #expect(await kith.run("key", "add", "--keyset", file, "--id", "k3").exitCode == 0)
        #expect(await kith.run("key", "retire", "--keyset", file, "--yes", "--socket", socket).exitCode == 4)
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
    }
  }

  @Test func `a keyset that lacks a key in use keeps the old one at a reload, and nothing starts with it`() async throws
  {
    try await DaemonFolder.with { folder, database in
      let (k1, k2) = (try TestKeys.keyID("k1"), try TestKeys.keyID("k2"))
      let first = try TestKeys.keyset()
      let promoted = try first.adding(k2, TestKeys.key(2)).promoting(k2)
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        let seed = try await database.sealedSeed(by: first)
        try await database.script(seed.answers(0..<1), as: .superuser)
        try TestKeys.write(promoted.retiring(k1), to: folder.keyset)
        try await reload(
          daemon, said: "the old configuration stays: \(Self.stillUsed) has retired")
        let status = await CommandTrial(folder: folder.path).run("key", "status", "--socket", folder.admin)
        #expect(status.output.contains("k1   primary        1"))
        try await daemon.stop()
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
      for (keyset, complaint) in [
        (try promoted.retiring(k1), "\(Self.stillUsed) has retired"),
        (try Keyset(first: k2, TestKeys.key(2)), "\(Self.stillUsed) does not have"),
      ] {
        try TestKeys.write(keyset, to: folder.keyset)
        let refused = try await DaemonProcess.start(folder.arguments)
        #expect(try await refused.exit() == .exited(1))
        _ = try await refused.line(containing: "kithd: error: \(complaint)")
        _ = try await refused.line(containing: "kithd: hint: ")
      }
      try TestKeys.write(first, to: folder.keyset)
      let mended = try await DaemonProcess.start(folder.arguments)
      try await mended.ready()
      try await mended.stop()
    }
  }

  @Test func `without a keyset, or with a wrong one, the daemon neither starts nor calls the configuration right`()
    async throws
  {
    try await DaemonFolder.with { folder, _ in
      let file = "\(folder.path)/kith.json5"
      let good = try String(decoding: Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      func expectRefusal(_ words: String) async throws {
        for arguments in [folder.arguments, ["--check-config"] + folder.arguments] {
          let daemon = try await DaemonProcess.start(arguments)
          #expect(try await daemon.exit() == .exited(1))
          _ = try await daemon.line(containing: words)
        }
      }
      try Data(good.replacing("keyset: \"file:\(folder.keyset)\",", with: "").utf8).write(to: URL(filePath: file))
      try await expectRefusal(#""keyset" is missing (make one with: kith key add --keyset FILE)"#)
      try Data(good.utf8).write(to: URL(filePath: file))
      chmod(folder.keyset, 0o640)
      try await expectRefusal("keyset.json\" can be read by others than its owner (mode 0640)")
      chmod(folder.keyset, 0o600)
      try Data(#"{"version":1,"keys":[{"id":"k1","key":"c2VjcmV0","state":"primary"}]}"#.utf8)
        .write(to: URL(filePath: folder.keyset))
      try await expectRefusal(#"keyset: cannot be used: line 1: key "k1" has not 32 bytes"#)
      unlink(folder.keyset)
      try await expectRefusal("cannot be opened: No such file or directory")
    }
  }
}
