import TestSupport
import Testing

/// Twenty people with three providers each, whose addresses change and collide, sign in from everywhere at once.
struct StormTests {
  private static let connections = 64
  private static let callsEach = 40
  private static let people = 20
  private static let addresses = 12

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a storm of sign-ins leaves the tables consistent and every answer true`(_ seed: UInt64) async throws {
    var settings = TestService.Settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<Self.connections).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      var random = SeededRandom(seed: seed)
      var asked: [[SignInCall]] = []
      for peer in peers {
        let calls = (0..<Self.callsEach).map { _ in Self.call(&random) }
        asked.append(calls)
        for (id, call) in calls.enumerated() { peer.send(TestPeer.call("signin.resolve", call.json, id: "\(id)")) }
      }
      var users: [String: Set<String>] = [:]
      var words: Set<String> = []
      for (peer, calls) in zip(peers, asked) {
        for answer in try await peer.answers(Self.callsEach) {
          words.insert(answer.word)
          guard let id = answer.id?.integer, let user = answer.userID else { continue }
          users["\(calls[id].provider):\(calls[id].subject)", default: []].insert(user)
        }
      }
      #expect(words.isSubset(of: ["registered", "linked", "signed_in", "link_required", "not_found"]), "seed \(seed)")
      // Whenever an identity was somebody's, it was the same user's.
      #expect(users.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
      let stored = try await database.texts(
        """
        select n.provider || ':' || i.subject || ' ' || i.user_id::text
        from kith.identities i join kith.namespaces n on n.id = i.namespace_id
        """)
      #expect(Set(stored) == Set(users.map { "\($0.key) \($0.value.first ?? "")" }), "seed \(seed)")
      try await database.expectConsistency("seed \(seed)")
    }
  }

  private static func call(_ random: inout SeededRandom) -> SignInCall {
    let provider = ["apple", "linkedin", "naver"].randomElement(using: &random) ?? ""
    var call = SignInCall(provider, "p\(Int.random(in: 0..<people, using: &random))")
    if Int.random(in: 0..<5, using: &random) > 0 {
      call.email = "a\(Int.random(in: 0..<addresses, using: &random))@example.org"
      call.isVerified = Int.random(in: 0..<4, using: &random) > 0
    }
    if Int.random(in: 0..<8, using: &random) == 0 { call.more.append(#""register":"never""#) }
    if Int.random(in: 0..<4, using: &random) == 0 { call.more.append(#""link":"never""#) }
    return call
  }
}
