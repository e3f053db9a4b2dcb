import Service
import TestSupport
import Testing
import Vault

/// The keys of a running service, and what the database needs of them.
@Suite(.timeLimit(.minutes(5))) struct KeyTests {
  private func settings(_ keyset: Keyset) -> TestService.Settings {
    var settings = TestService.Settings()
    settings.keyset = keyset
    settings.callers = [TestService.caller(more: #", access_groups: ["*"]"#)]
    return settings
  }

  @Test func `keys are changed while serving, and every record opens at each step`() async throws {
    let first = try TestKeys.keyset()
    let (k1, k2) = (try TestKeys.keyID("k1"), try TestKeys.keyID("k2"))
    let added = try first.adding(k2, TestKeys.key(2))
    let promoted = try added.promoting(k2)
    let retired = try promoted.retiring(k1)
    try await TestService.with(settings(first)) { services, database in
      let service = services[0]
      let seed = try await database.sealedSeed(by: first)
      try await database.script(
        seed.credentials(0..<30) + seed.registrations(0..<20) + seed.answers(0..<10), as: .superuser)
      let peer = try service.connect(to: .admin)
      defer { peer.close() }
      func states() async throws -> [String] {
        try await peer.call("key.status").result?["keys"]?.elements.map { key in
          "\(key["id"]?.string ?? "") \(key["state"]?.string ?? "") \(key["records"]?.integer ?? -1)"
        } ?? []
      }
      #expect(try await states() == ["k1 primary 60"])
      try await service.reload(settings(added))
      #expect(try await states() == ["k1 primary 60", "k2 decrypt_only 0"])
      try await service.reload(settings(promoted))
      #expect(try await states() == ["k1 decrypt_only 60", "k2 primary 0"])
      #expect(try await database.credentials(openedBy: promoted).count == 30)

      // What is still used cannot be retired or left out; the old keys stay in use.
      for keyset in [retired, try Keyset(first: k2, TestKeys.key(2))] {
        let problem = await #expect(throws: ServingProblem.self) { try await service.reload(settings(keyset)) }
        let told = #"the database or the spool still uses key "k1", which the keyset "#
        #expect(problem.map { "\($0)" }?.hasPrefix(told) == true)
        #expect(try await states() == ["k1 decrypt_only 60", "k2 primary 0"])
      }

      let batch = try await peer.call("key.rewrap", #"{"limit":25}"#).result
      #expect(batch?["rewrapped"]?.integer == 20)
      #expect(batch?["remaining"]?.integer == 40)
      #expect(try await database.credentials(openedBy: promoted).count == 30)
      #expect(try await peer.call("key.rewrap", #"{"limit":29}"#).result?["rewrapped"]?.integer == 29)
      #expect(try await states() == ["k1 decrypt_only 11", "k2 primary 49"])
      #expect(try await database.credentials(openedBy: promoted).count == 30)
      var next = ""
      repeat {
        let rest = try await peer.call("key.rewrap", next.isEmpty ? "{}" : #"{"after":"\#(next)"}"#).result
        #expect(rest?["failed"]?.integer == 0)
        next = rest?["next"]?.string ?? ""
      } while !next.isEmpty
      #expect(try await states() == ["k1 decrypt_only 0", "k2 primary 60"])
      try await service.reload(settings(retired))
      #expect(try await states() == ["k1 retired 0", "k2 primary 60"])
      #expect(try await database.credentials(openedBy: retired).count == 30)
    }
  }

  @Test func `a repeat gets its answer whichever key is primary by then`() async throws {
    let first = try TestKeys.keyset()
    let (k1, k2) = (try TestKeys.keyID("k1"), try TestKeys.keyID("k2"))
    let promoted = try first.adding(k2, TestKeys.key(2)).promoting(k2)
    try await TestService.with(settings(first)) { services, _ in
      let service = services[0]
      let peer = try service.connect(to: .admin)
      defer { peer.close() }
      let calls = [
        ("signin.resolve", #"{"provider":"apple","subject":"s","nickname":"n","register":"hold","request_key":"k"}"#),
        ("signin.resolve", #"{"provider":"apple","subject":"t","nickname":"n","request_key":"l"}"#),
        ("credential.put", #"{"access_group":"g","account":"a","service":"s","secret":"AA==","request_key":"k"}"#),
      ]
      var answers: [WireJSON?] = []
      for (method, params) in calls { answers.append(try await peer.call(method, params).result) }
      let completing =
        #"{"registration_id":"\#(answers[0]?["registration"]?["id"]?.string ?? "")","request_key":"k"}"#
      answers.append(try await peer.call("registration.complete", completing).result)
      #expect(!answers.contains(nil))
      func expectTheSame() async throws {
        for ((method, params), answer) in zip(calls + [("registration.complete", completing)], answers) {
          #expect(try await peer.call(method, params).result == answer, "\(method)")
          let other = params.replacing(#""request_key""#, with: #""include":["emails"],"request_key""#)
          if method != "credential.put" {
            #expect(try await peer.call(method, other).reason == "request_key_reused", "\(method)")
          }
        }
      }
      try await expectTheSame()
      try await service.reload(settings(promoted))
      try await expectTheSame()
      var next = ""
      repeat {
        next =
          try await peer.call("key.rewrap", next.isEmpty ? "{}" : #"{"after":"\#(next)"}"#).result?["next"]?.string
          ?? ""
      } while !next.isEmpty
      try await service.reload(settings(promoted.retiring(k1)))
      try await expectTheSame()
    }
  }

  @Test func `a place that no batch ended at is refused`() async throws {
    try await TestService.with { services, _ in
      let peer = try services[0].connect(to: .admin)
      defer { peer.close() }
      for parameters in [#"{"after":"nonsense"}"#, #"{"limit":0}"#, #"{"limit":1001}"#, #"{"batch":1}"#] {
        #expect(try await peer.call("key.rewrap", parameters).reason == "invalid_params")
      }
    }
  }

  @Test func `without a database both say so`() async throws {
    let service = try await TestService.startWithoutDatabase()
    let peer = try service.connect(to: .admin)
    for method in ["key.status", "key.rewrap"] {
      #expect(try await peer.call(method).reason == "database_unavailable")
    }
    peer.close()
    await service.stop()
  }

  @Test func `a key of the same id and other bytes is refused before anything is sealed with it`() async throws {
    let first = try TestKeys.keyset()
    let other = try Keyset(first: try TestKeys.keyID("k1"), TestKeys.key(9))
    try await TestService.with(settings(first)) { services, _ in
      let peer = try services[0].connect(to: .admin)
      defer { peer.close() }
      let credential = #""access_group":"tests","account":"a","service":"s""#
      #expect(try await peer.call("credential.put", "{\(credential),\"secret\":\"AA==\"}").reason == nil)
      let problem = await #expect(throws: ServingProblem.self) { try await services[0].reload(settings(other)) }
      #expect(
        problem.map { "\($0)" } == #"key "k1" of the keyset is another than the database knows by this id"#)
      #expect(try await peer.call("credential.get", "{\(credential)}").reason == nil)
      // Nor is a new key another's.
      let added = try first.adding(try TestKeys.keyID("k2"), TestKeys.key(2))
      try await services[0].reload(settings(added))
      let wrong = try first.adding(try TestKeys.keyID("k2"), TestKeys.key(3))
      await #expect(throws: ServingProblem.self) { try await services[0].reload(settings(wrong)) }
    }
  }
}
