import TestSupport
import Testing

/// Many at once, over many connections and several daemons: one person is one user, and everybody gets a true answer.
struct RaceTests {
  private static func settings() -> TestService.Settings {
    var settings = TestService.Settings()
    settings.threads = 2
    return settings
  }

  /// Sends a call from each of many connections at once and gives the answers.
  private func race(
    _ count: Int, _ services: [TestService], _ params: (Int) -> String
  ) async throws -> [WireAnswer] {
    let peers = try (0..<count).map { try services[$0 % services.count].connect() }
    defer { for peer in peers { peer.close() } }
    for (number, peer) in peers.enumerated() {
      peer.send(TestPeer.call("signin.resolve", params(number), id: "\(number)"))
    }
    var answers: [WireAnswer] = []
    for peer in peers { answers.append(try await peer.answer()) }
    return answers
  }

  @Test(arguments: [(64, 1), (256, 1), (64, 2), (256, 2), (256, 3)])
  func `first sign-ins of one identity at once make one user`(_ connections: Int, _ daemons: Int) async throws {
    try await TestService.with(Self.settings(), count: daemons) { services, database in
      let call = SignInCall("apple", "mira", "mira@example.org", verified: true)
      let answers = try await race(connections, services) { _ in call.json }
      #expect(answers.count { $0.word == "registered" } == 1)
      #expect(answers.count { $0.word == "signed_in" } == connections - 1)
      #expect(Set(answers.map(\.userID)).count == 1)
      #expect(Set(answers.map { $0.result?["identity"]?["id"]?.string }).count == 1)
      #expect(try await database.count("select count(*)::text from kith.users") == 1)
      #expect(try await database.texts("select type from kith.events") == ["user.registered"])
      try await database.expectConsistency()
    }
  }

  @Test(arguments: [1, 2])
  func `two providers with one verified address at once make one user`(_ daemons: Int) async throws {
    try await TestService.with(Self.settings(), count: daemons) { services, database in
      let calls = [
        SignInCall("apple", "mira", "mira@example.org", verified: true),
        SignInCall("linkedin", "mira-li", "Mira@example.org", verified: true),
      ]
      let answers = try await race(64, services) { calls[$0 / 2 % 2].json }
      let words = answers.map(\.word)
      #expect(words.count { $0 == "registered" } == 1)
      #expect(words.count { $0 == "linked" } == 1)
      #expect(words.count { $0 == "signed_in" } == 62)
      #expect(Set(answers.map(\.userID)).count == 1)
      #expect(
        try await database.texts("select type from kith.events order by seq") == ["user.registered", "identity.linked"])
      #expect(try await database.count("select cardinality(vouched_by)::text from kith.emails") == 2)
      try await database.expectConsistency()
    }
  }

  @Test func `many identities with one verified address at once make one user`() async throws {
    try await TestService.with(Self.settings(), count: 2) { services, database in
      let answers = try await race(64, services) {
        SignInCall($0 % 2 == 0 ? "apple" : "linkedin", "s\($0)", "mira@example.org", verified: true).json
      }
      #expect(answers.count { $0.word == "registered" } == 1)
      #expect(answers.count { $0.word == "linked" } == 63)
      #expect(try await database.count("select cardinality(vouched_by)::text from kith.emails") == 64)
      try await database.expectConsistency()
    }
  }

  @Test func `a claim and a proof of one address at once leave it with who proved it`() async throws {
    try await TestService.with(Self.settings(), count: 2) { services, database in
      let answers = try await race(64, services) { number in
        number == 63
          ? SignInCall("apple", "mira", "mira@example.org", verified: true).json
          : SignInCall("naver", "claimant\(number)", "mira@example.org").json
      }
      #expect(answers.last?.word == "registered")
      #expect(Set(answers.map(\.word)).isSubset(of: ["registered", "link_required"]))
      #expect(try await database.texts("select verified::text from kith.emails") == ["true"])
      try await database.expectConsistency()
    }
  }

  @Test func `identities of one user that change their addresses at once leave none vouched for wrongly`() async throws
  {
    try await TestService.with(Self.settings(), count: 2) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      for number in 0..<64 { _ = try await peer.signIn("apple", "s\(number)", "old@example.org", verified: true) }
      #expect(try await database.count("select count(*)::text from kith.users") == 1)
      let answers = try await race(64, services) {
        SignInCall("apple", "s\($0)", "new\($0)@example.org", verified: true).json
      }
      #expect(answers.allSatisfy { $0.word == "signed_in" })
      #expect(
        try await database.texts("select canonical from kith.emails where not verified") == ["old@example.org"])
      #expect(try await database.count("select count(*)::text from kith.emails where verified") == 64)
      #expect(try await database.count("select count(*)::text from kith.events where type = 'email.unverified'") == 1)
      try await database.expectConsistency()
    }
  }

  @Test func `somebody who is disabled while they are linked to is either linked before or refused`() async throws {
    try await TestService.with(Self.settings(), count: 2) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      for round in 0..<20 {
        let address = "mira\(round)@example.org"
        let user = try await peer.signIn("apple", "mira\(round)", address, verified: true).userID ?? ""
        peer.send(TestPeer.call("user.disable", #"{"id":"\#(user)","reason":"race"}"#, id: #""disable""#))
        let answers = try await race(8, services) {
          SignInCall("linkedin", "li\(round)-\($0)", address, verified: true).json
        }
        let disabled = try await peer.answer()
        #expect(disabled.result?["user"]?["status"]?.string == "disabled")
        #expect(Set(answers.map(\.word)).isSubset(of: ["linked", "user_disabled"]))
        let after = try await peer.signIn("linkedin", "li\(round)-0", address, verified: true)
        #expect(after.word == "user_disabled")
      }
      try await database.expectConsistency()
    }
  }
}
