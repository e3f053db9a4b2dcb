import FoundationEssentials
import JSON
import TestSupport
import Testing

/// Sign-ins through a real PgBouncer in transaction mode, with fewer connections to PostgreSQL than the services keep to it.
@Suite struct PoolerTests {
  private static func settings(threads: Int = 1) -> TestService.Settings {
    var settings = TestService.Settings()
    settings.databasePooler = .transaction
    settings.threads = threads
    return settings
  }

  private static func withServices(
    _ count: Int, connections: Int = 4, _ body: ([TestService], TestDatabase, TestPooler) async throws -> Void
  ) async throws {
    try await TestDatabase.with { database in
      try await TestPooler.with(database, connections: connections) { pooler in
        var services: [TestService] = []
        do {
          for _ in 0..<count {
            services.append(try await TestService.start(conninfo: pooler.conninfo(), settings()))
          }
          try await body(services, database, pooler)
          for service in services { await service.stop() }
        } catch {
          for service in services { await service.stop() }
          throw error
        }
      }
    }
  }

  @Test func `every kind of sign-in and change is the same through a pooler`() async throws {
    try await Self.withServices(1) { services, database, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      let first = try await peer.signIn("apple", "p1", "mira@example.org", verified: true)
      #expect(first.outcome == "registered")
      let known = try await peer.signIn("apple", "p1", "mira@example.org", verified: true)
      #expect(known.outcome == "signed_in")
      let linked = try await peer.signIn("linkedin", "p1", "mira@example.org", verified: true)
      #expect(linked.outcome == "linked")
      #expect([known.userID, linked.userID] == [first.userID, first.userID])
      #expect(try await peer.signIn("naver", "p1", "mira@example.org", verified: true).outcome == "link_required")
      #expect(try await peer.signIn("naver", "p2", nil, verified: nil, #""register":"never""#).outcome == "not_found")
      let user = try #require(first.userID)
      let update = #"{"id":"\#(user)","profile":{"nickname":"Mi"},"request_key":"pooled-1"}"#
      let changed = try await peer.call("user.update", update)
      #expect(changed.reason == nil, "\(changed.text)")
      let repeated = try await peer.call("user.update", update)
      #expect(repeated.result == changed.result)
      let disabled = try await peer.call("user.disable", #"{"id":"\#(user)","reason":"test"}"#)
      #expect(disabled.reason == nil, "\(disabled.text)")
      #expect(try await peer.signIn("apple", "p1").reason == "user_disabled")
      #expect(
        try await peer.call("user.search", #"{"query":"mira@example.org"}"#).result?["items"]?.elements.count == 1)
      try await database.expectConsistency()
    }
  }

  @Test func `first sign-ins of one person from many connections of two daemons end as one user`() async throws {
    try await Self.withServices(2, connections: 3) { services, database, _ in
      for round in 0..<5 {
        let peers = try (0..<32).map { try services[$0 % 2].connect() }
        defer { for peer in peers { peer.close() } }
        for (number, peer) in peers.enumerated() {
          let call = SignInCall(
            number % 3 == 0 ? "linkedin" : "apple", "racer-\(round)", "racer-\(round)@example.org", verified: true)
          peer.send(TestPeer.call("signin.resolve", call.json, id: "1"))
        }
        var answers: [WireAnswer] = []
        for peer in peers { answers.append(try await peer.answer()) }
        #expect(Set(answers.map(\.userID)).count == 1)
        #expect(answers.allSatisfy { $0.reason == nil })
        #expect(answers.count { $0.outcome == "registered" } == 1)
        #expect(answers.count { $0.outcome == "linked" } == 1)
      }
      #expect(try await database.count("select count(*)::text from kith.users") == 5)
      try await database.expectConsistency()
    }
  }

  @Test func `hundreds of people signing in at once share a pooler of two connections`() async throws {
    try await Self.withServices(2, connections: 2) { services, database, _ in
      let peers = try (0..<16).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      for (number, peer) in peers.enumerated() {
        for person in 0..<20 {
          let call = SignInCall("apple", "s-\(number)-\(person)", "s-\(number)-\(person)@example.org", verified: true)
          peer.send(TestPeer.call("signin.resolve", call.json, id: "\(person)"))
        }
      }
      for peer in peers {
        #expect(try await peer.answers(20).allSatisfy { $0.outcome == "registered" })
      }
      #expect(try await database.count("select count(*)::text from kith.users") == 320)
      try await database.expectConsistency()
    }
  }
}
