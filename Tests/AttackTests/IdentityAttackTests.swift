import TestSupport
import Testing

/// Attempts to be taken for another identity.
struct IdentityAttackTests {
  private static let address = "mira@example.org"

  /// Row 13, as far as it is about namespaces: what was said for one provider is used at another.
  @Test func `an identity of one namespace is unknown in every other`() async throws {
    let callers = [
      TestService.caller("app", more: #", namespaces: ["linkedin:*"], socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin""#),
    ]
    try await TestService.with(.init(callers: callers)) { services, _ in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let mira = try await admin.signIn("apple", "mira")
      let elsewhere = try await app.signIn("linkedin", "mira", nil, #""register":"never""#)
      #expect(elsewhere.outcome == "not_found")
      for (method, params) in [
        ("signin.resolve", #"{"provider":"apple","subject":"mira"}"#),
        ("user.get", #"{"provider":"apple","subject":"mira"}"#),
        ("identity.get", #"{"provider":"apple","tenant":"TEAM000001","subject":"mira"}"#),
      ] {
        let answer = try await app.call(method, params)
        #expect(answer.reason == "namespace_unknown", "\(method)")
        #expect(!answer.text.contains(mira.userID ?? "?"))
      }
    }
  }

  /// Row 15: 64 racers want one identity for two users.
  @Test func `racers for one identity end with one winner and typed answers`() async throws {
    var settings = TestService.Settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      // Two users hold an address each; the contested identity comes with the one or with the other.
      for user in 0..<2 {
        _ = try await peers[user].signIn("apple", "user\(user)", "u\(user)@example.org", verified: true)
      }
      for (number, peer) in peers.enumerated() {
        let call = SignInCall("linkedin", "contested", "u\(number % 4 / 2)@example.org", verified: true)
        peer.send(TestPeer.call("signin.resolve", call.json, id: "1"))
      }
      var answers: [WireAnswer] = []
      for peer in peers { answers.append(try await peer.answer()) }
      #expect(answers.count { $0.word == "linked" } == 1)
      #expect(answers.count { $0.word == "signed_in" } == 63)
      #expect(Set(answers.map(\.userID)).count == 1)
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'contested'") == 1)
      try await database.expectConsistency()
    }
  }

  /// Row 16: a lookup by the subject alone.
  @Test func `one subject in two namespaces is two identities`() async throws {
    var settings = TestService.Settings()
    settings.namespaces.append(#"{ provider: "apple", tenant: "TEAM000002" }"#)
    try await TestService.withPeer(settings) { _, peer in
      var users: Set<String?> = []
      for namespace in [
        #""provider":"apple","tenant":"TEAM000001""#, #""provider":"apple","tenant":"TEAM000002""#,
        #""provider":"linkedin""#, #""provider":"naver""#, #""provider":"password""#,
      ] {
        let answer = try await peer.call("signin.resolve", #"{\#(namespace),"subject":"same"}"#)
        #expect(answer.outcome == "registered")
        users.insert(answer.userID)
      }
      #expect(users.count == 5)
    }
  }

  /// Row 19, in subjects: whatever looks, folds or normalises alike is still somebody else.
  @Test func `subjects that look alike are different people`() async throws {
    try await TestService.withPeer { _, peer in
      let subjects = [
        "k", "K", "\u{212A}", "é", "e\u{301}", "É", "ß", "ss", "ı", "i", "İ", "i\u{307}", "a", "\u{430}", "a ", " a",
        "a\u{200B}", "a\u{AD}", "\u{FF41}", "1", "01", "1.0", "①",
      ]
      var users: [String: String] = [:]
      for subject in subjects {
        let answer = try await peer.signIn("apple", subject)
        #expect(answer.outcome == "registered", "\(Array(subject.utf8))")
        users[answer.userID ?? "?"] = subject
      }
      #expect(users.count == subjects.count)
      for subject in subjects {
        let again = try await peer.signIn("apple", subject)
        #expect(users[again.userID ?? "?"].map { Array($0.utf8) } == Array(subject.utf8))
      }
    }
  }
}
