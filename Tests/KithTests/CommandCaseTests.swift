import Foundation
import Terminal
import TestSupport
import Testing
import Vault

@testable import kith

/// Text cases: what is typed, and what comes of it.
@Suite(.timeLimit(.minutes(4))) struct CommandCaseTests {
  private static let folder = CommandCase.folder()
  private static let pipedWidthMax = 100

  @Test func `with a daemon every command line prints what its case says`() async throws {
    let settings = TestService.Settings(callers: [
      TestService.caller(more: #", access_groups: ["*"], may_see_owners: true"#)
    ])
    try await TestService.with(settings) { services, database in
      let seed = try await database.sealedSeed(by: TestKeys.keyset())
      try await database.script(SeededPeople.sql + SeededPeople.registrations(sealedBy: seed), as: .superuser)
      // One after the other: some change what the next shows.
      await check(casesIn: "Served", CommandTrial(folder: services[0].folder))
      // What a case has written is for whoever asked for it alone.
      let export = services[0].folder + "/ron.json"
      #expect(try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? Int == 0o600)
      #expect(try String(contentsOfFile: export, encoding: .utf8).hasPrefix(#"{"export":{"user":{"id":"0192f3a0-"#))
    }
  }

  @Test func `merges are looked at, made and undone as the cases say`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.with(settings) { services, database in
      try await database.script(SeededPeople.sql + SeededPeople.merges, as: .superuser)
      await check(casesIn: "Merges", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `people who came twice are told as the cases say`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.with(settings) { services, database in
      await check(casesIn: "DuplicatesOfNobody", CommandTrial(folder: services[0].folder))
      try await database.script(SeededPeople.duplicates, as: .superuser)
      await check(casesIn: "Duplicates", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `no name acts on the terminal, whichever command tells it`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.with(settings) { services, database in
      let evil = "\u{1B}[2Jevil\u{7}\u{202E}"
      let seed = try await database.sealedSeed(by: TestKeys.keyset())
      try await database.script(SeededPeople.sql + SeededPeople.registrations(sealedBy: seed), as: .superuser)
      let peer = try services[0].connect()
      defer { peer.close() }
      let names = #""nickname":"n\u202e","details":{"a":"\u001b[2J\u202e"}"#
      let known = try await peer.signIn("apple", #"\u001b[2Jknown"#, "evil@example.org", verified: true, names)
      let held = try await peer.signIn("apple", #"\u001b[2Jheld"#, nil, names, #""register":"hold""#)
      #expect(known.outcome == "registered" && held.outcome == "registration_held", "\(known.text) \(held.text)")
      let (user, registration) = (known.userID ?? "", held.result?["registration"]?["id"]?.string ?? "")
      let fail = #"{"registration_id":"\#(registration)","reason":"\u001b[2J\u202e"}"#
      _ = try await peer.call("registration.fail", fail)
      for group in ["web", #"\u001b[2Jevil\u0007\u202e"#] {
        let place =
          #""access_group":"\#(group)","account":"\u001b[2Jevil\u0007\u202e","service":"\u001b[2Jevil\u0007\u202e""#
        let put = try await peer.call("credential.put", "{\(place),\"secret\":\"AA==\",\"label\":\"\u{202E}\"}")
        #expect(put.result != nil, "\(put.text)")
      }
      let folder = services[0].folder + "/" + evil
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let trial = CommandTrial(folder: services[0].folder)
      let commands: [[String]] = [
        ["user", "show", user], ["user", "search", "evil@example.org"], ["identity", "list", user],
        ["user", "disable", "evil@example.org", "--reason", "r"], ["user", "enable", user, "--reason", "r", "--yes"],
        ["user", "show", evil], ["identity", "list", "apple:" + evil],
        ["registration", "list"], ["registration", "show", registration],
        ["registration", "discard", registration, "--reason", "r"],
        ["credential", "list"], ["credential", "list", "--limit", "1"], ["credential", "list", "--user", evil],
        ["credential", "history", "web", evil, evil], ["credential", "history", evil, evil, "x", "--limit", "1"],
        ["credential", "delete", "web", evil, evil, "--reason", "r"],
        ["credential", "delete", "web", evil, evil, "--reason", "r", "--yes"],
        ["credential", "delete", evil, evil, evil, "--reason", "r", "--yes"],
        ["key", "add", "--keyset", folder + "/keys.json", "--id", "a"],
        ["key", "add", "--keyset", folder + "/keys.json", "--id", "b"],
        ["key", "promote", "--keyset", folder + "/keys.json", "--id", "b"],
        ["key", "retire", "--keyset", folder + "/keys.json", "--id", "a"],
        ["key", "status"], ["key", "rewrap"], ["key", "add", "--keyset", folder + "/keys.json", "--id", evil],
        ["duplicates"], ["status"], ["doctor"], [evil], ["user", "show", user, "--" + evil],
        ["user", "export", user, "--output", folder + "/export.json"],
        ["user", "export", evil], ["user", "erase", "evil@example.org", "--reason", "r"],
      ]
      for command in commands {
        for (width, options) in [(nil, []), (80, []), (80, ["--json"])] as [(Int?, [String])] {
          let console = RecordingConsole(outputWidth: width, input: ["y"])
          let words = command + ["--socket", trial.folder.map { $0 + "/admin.sock" } ?? ""] + options
          _ = await KithInvocation(words: words, console: console, environment: ["NO_COLOR": "1"]).run()
          for line in (console.output + console.error).split(separator: "\n") {
            #expect(VisibleText(String(line)).string == line, "\(command)")
          }
        }
      }
      #expect(try await peer.call("credential.list").result?["items"]?.elements.isEmpty == false)
    }
  }

  @Test func `a provider with several tenants is asked by tenant`() async throws {
    var settings = TestService.Settings()
    settings.namespaces = ["TEAM000001", "TEAM000002"].map { #"{ provider: "apple", tenant: "\#($0)" }"# }
    try await TestService.with(settings) { services, database in
      try await database.script(SeededPeople.ofTwoTenants, as: .superuser)
      await check(casesIn: "Tenants", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `events and the audit trail are shown as the cases say`() async throws {
    try await TestService.with { services, database in
      try await database.script(SeededPeople.sql + SeededPeople.trail, as: .superuser)
      await check(casesIn: "Trail", CommandTrial(folder: services[0].folder))
      try await database.script(SeededPeople.forged, as: .superuser)
      await check(casesIn: "ForgedTrail", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `keys are looked at and changed as the cases say`() async throws {
    let (k2, k3) = (try TestKeys.keyID("k2"), try TestKeys.keyID("k3"))
    let former = try TestKeys.keyset().adding(k3, TestKeys.key(3)).adding(k2, TestKeys.key(2))
    var settings = TestService.Settings()
    settings.keyset = try former.promoting(k2)
    try await TestService.with(settings) { services, database in
      let seed = try await database.sealedSeed(by: former)
      let third = try await database.sealedSeed(by: former.promoting(k3))
      try await database.script(
        seed.credentials(0..<1200) + seed.registrations(0..<40) + third.answers(0..<3)
          + "update kith.credentials set service = 'elsewhere' where account = 'a7';", as: .superuser)
      await check(casesIn: "Keys", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `without its database a daemon is told of as it is`() async throws {
    let service = try await TestService.startWithoutDatabase()
    await check(casesIn: "WithoutDatabase", CommandTrial(folder: service.folder))
    await service.stop()
  }

  @Test func `with a database that is read-only a daemon is told of as it is`() async throws {
    try await TestService.with { _, database in
      // The first daemon has entered the namespaces; the second finds a database that takes nothing any more.
      try await database.script(
        """
        do $$ begin
          execute format('alter database %I set default_transaction_read_only = on', current_database());
        end $$
        """, as: .superuser)
      var settings = TestService.Settings()
      let k2 = try TestKeys.keyID("k2")
      let keyset = try TestKeys.keyset().adding(k2, TestKeys.key(2)).promoting(k2)
      settings.keyset = keyset
      let service = try await TestService.start(on: database, settings)
      try TestKeys.write(keyset, to: service.folder + "/keyset.json")
      let peer = try service.connect()
      let refused = try await peer.signIn("apple", "noor", nil, #""name":{"given":"Noor"}"#)
      #expect(refused.error?["data"]?["kept"]?.bool == true)
      peer.close()
      await check(casesIn: "ReadOnly", CommandTrial(folder: service.folder))
      await service.stop()
    }
  }

  @Test func `a daemon that allows little is told of as it is`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(methods: #"["system.ping"]"#)])
    try await TestService.with(settings) { services, _ in
      await check(casesIn: "Forbidden", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `a daemon that does not know the caller is told of as it is`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(uid: 4_000_000)])
    try await TestService.with(settings) { services, _ in
      await check(casesIn: "Unknown", CommandTrial(folder: services[0].folder))
    }
  }

  @Test func `without a daemon every command line prints what its case says`() async throws {
    await check(casesIn: "Alone", CommandTrial(folder: nil))
  }

  private func check(casesIn name: String, _ trial: CommandTrial) async {
    let folder = "\(Self.folder)/\(name)"
    let cases = CommandCase.all(in: folder)
    #expect(!cases.isEmpty)
    for testCase in cases {
      let result = await trial.run(testCase)
      #expect(result.output == testCase.output, "\(name)/\(testCase.name)")
      #expect(ended(result.error) == testCase.error, "\(name)/\(testCase.name)")
      #expect(result.exitCode == testCase.exitCode, "\(name)/\(testCase.name)")
      // A program reads JSON, and what is piped is not cut: only what people usually have fits.
      // An event is one line, for programs too.
      let isUncut = testCase.words.contains("--json") || testCase.words.contains("tail")
      let widthMax = testCase.width ?? (isUncut ? .max : Self.pipedWidthMax)
      #expect(result.outputWidth <= widthMax, "\(name)/\(testCase.name)")
    }
  }

  /// A question leaves its line open; in a case every line is ended.
  private func ended(_ text: String) -> String { text.isEmpty || text.hasSuffix("\n") ? text : text + "\n" }
}
