import TestSupport
import Testing

/// Attempts to come into an account by linking, and to be left in one by unlinking.
struct LinkAttackTests {
  private static let address = "mira@example.org"
  private static let rights = #", may_authenticate: true"#
  private static let racerCount = 64

  private func withPeer(_ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: Self.rights)])
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
      try await database.expectConsistency()
    }
  }

  /// 64 connections to two daemons with two loops each.
  private func withRacers(_ body: ([TestPeer], TestDatabase) async throws -> Void) async throws {
    var settings = TestService.Settings(callers: [TestService.caller(more: Self.rights)])
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<Self.racerCount).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      try await body(peers, database)
      try await database.expectConsistency()
    }
  }

  /// Sends every peer's call at once and gives back what came of each.
  private func race(_ peers: [TestPeer], _ call: (Int) -> String) async throws -> [WireAnswer] {
    for (number, peer) in peers.enumerated() { peer.send(call(number)) }
    var answers: [WireAnswer] = []
    for peer in peers { answers.append(try await peer.answer()) }
    return answers
  }

  /// Row 1, pre-hijacking by linking: the squatter links Mira's Apple-verified address into an account before she comes.
  @Test func `an address that a squatter links without a proof goes to whoever proves it`() async throws {
    try await withPeer { peer, _ in
      let squatter = try await peer.signIn("naver", "squatter").userID
      _ = try await peer.link(SignInCall("naver", "second", Self.address, verified: true), to: squatter)
      #expect(try await peer.email("add", Self.address, of: squatter).result != nil)
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true)
      #expect(mira.outcome == "registered" && mira.userID != squatter)
      #expect(try await peer.emails(of: squatter).isEmpty)
      #expect(try await peer.emails(of: mira.userID) == [Self.address: true])
    }
  }

  /// Row 2, what outlives a takeover: a challenge from before is worthless after one.
  @Test func `a challenge from before an address was taken over opens nothing`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      _ = try await peer.link(SignInCall("naver", "n", "other@example.org"), to: mira)
      let asked = try await peer.signIn("naver", "attacker", Self.address, verified: true)
      #expect(asked.outcome == "link_required")
      // Somebody else proves what she only claims.
      #expect(try await peer.signIn("linkedin", "o", "other@example.org", verified: true).outcome == "registered")
      let late = try await peer.confirm(asked.challengeID, Proof.word(mira))
      #expect(late.reason == "challenge_mismatch")
    }
  }

  /// Row 3, the trojan identifier: what was planted in an account that never proved the address does not follow it.
  @Test func `identities planted beside an unproved address do not follow it`() async throws {
    try await withPeer { peer, _ in
      let squatter = try await peer.signIn("naver", "squatter", Self.address).userID
      for (provider, subject) in [("linkedin", "trojan"), ("password", "trojan")] {
        #expect(try await peer.link(SignInCall(provider, subject, Self.address), to: squatter).result != nil)
      }
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      for (provider, subject) in [("linkedin", "trojan"), ("password", "trojan"), ("naver", "squatter")] {
        let back = try await peer.signIn(provider, subject, Self.address)
        #expect(back.userID == squatter && back.userID != mira)
      }
      #expect(try await peer.emails(of: mira) == [Self.address: true])
    }
  }

  /// Row 4, the unexpired change of an address: its token is dead after a takeover of any kind.
  @Test func `a token from before a takeover proves nothing`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID ?? ""
      _ = try await peer.link(SignInCall("linkedin", "spare"), to: mira)
      let reason = #""reason":"test""#
      let second = try await peer.link(SignInCall("linkedin", "second"), to: mira).identityID
      let claimed = SignInCall("naver", "claims", "claimed@example.org")
      _ = try await peer.link(claimed, to: mira)
      let takeovers: [(String, () async throws -> Void)] = [
        ("unlink", { _ = try await peer.unlink(second, from: mira) }),
        (
          "disable",
          {
            _ = try await peer.call("user.disable", #"{"id":"\#(mira)",\#(reason)}"#)
            _ = try await peer.call("user.enable", #"{"id":"\#(mira)",\#(reason)}"#)
          }
        ),
        ("lost claim", { _ = try await peer.signIn("linkedin", "x", "claimed@example.org", verified: true) }),
        ("lost source", { _ = try await peer.signIn("apple", "mira", "new@example.org", verified: true) }),
        ("removal", { _ = try await peer.email("remove", "new@example.org", of: mira) }),
        ("proof by another", { _ = try await peer.signIn("linkedin", "y", "pending5@example.org", verified: true) }),
      ]
      for (number, (name, takeover)) in takeovers.enumerated() {
        let pending = "pending\(number)@example.org"
        let token = try await peer.email("add", pending, of: mira).result?["token"]?.string ?? "?"
        try await takeover()
        let late = try await peer.email("verify", pending, of: mira, #","token":"\#(token)""#)
        #expect(late.reason == "proof_rejected", "\(name)")
        #expect(try await peer.emails(of: mira)[pending] != true, "\(name)")
      }
    }
  }

  /// Row 9: a one-time proof is raced.
  @Test func `of 64 racers with one challenge one succeeds`() async throws {
    try await withRacers { peers, database in
      let mira = try await peers[0].signIn("apple", "mira", Self.address, verified: true).userID
      let asked = try await peers[0].signIn("naver", "n", Self.address)
      let challenge = asked.challengeID ?? ""
      let answers = try await race(peers) { _ in
        TestPeer.call("link.confirm", #"{"challenge_id":"\#(challenge)","proof":\#(Proof.word(mira))}"#, id: "1")
      }
      #expect(answers.count { $0.outcome == "linked" } == 1)
      #expect(answers.count { $0.reason == "challenge_used" } == Self.racerCount - 1)
      #expect(
        try await database.count("select count(*)::text from kith.events where type = 'identity.linked'") == 1)
    }
  }

  /// Row 9, for the token of an address.
  @Test func `of 64 racers with one token one succeeds`() async throws {
    try await withRacers { peers, database in
      let mira = try await peers[0].signIn("apple", "mira").userID
      let token = try await peers[0].email("add", Self.address, of: mira).result?["token"]?.string ?? "?"
      let answers = try await race(peers) { _ in
        TestPeer.call(
          "email.verify", #"{"user_id":"\#(mira ?? "")","email":"\#(Self.address)","token":"\#(token)"}"#, id: "1")
      }
      #expect(answers.count { $0.result != nil } == 1)
      #expect(answers.count { $0.reason == "challenge_used" } == Self.racerCount - 1)
      #expect(try await database.count("select count(*)::text from kith.events where type = 'email.verified'") == 1)
    }
  }

  /// Row 9, guessing: however many guess at once, five wrong proofs are looked at.
  @Test func `of 64 racers with wrong proofs five are counted`() async throws {
    try await withRacers { peers, database in
      _ = try await peers[0].signIn("apple", "mira", Self.address, verified: true)
      let challenge = try await peers[0].signIn("naver", "n", Self.address).challengeID ?? ""
      let answers = try await race(peers) { number in
        let proof = Proof.claims("apple", "guess\(number)")
        return TestPeer.call("link.confirm", #"{"challenge_id":"\#(challenge)","proof":\#(proof)}"#, id: "1")
      }
      #expect(answers.count { $0.reason == "proof_rejected" } == 5)
      #expect(answers.count { $0.reason == "challenge_used" } == Self.racerCount - 5)
      #expect(try await database.count("select attempts::text from kith.challenges") == 5)
    }
  }

  /// Row 10: a proof for one identity is used with another.
  @Test func `a challenge attaches the identity it was made for and no other`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let own = try await peer.signIn("naver", "own", Self.address)
      let foreign = try await peer.signIn("naver", "foreign", Self.address)
      #expect(own.challengeID != foreign.challengeID)
      let answer = try await peer.confirm(own.challengeID, Proof.word(mira))
      #expect(answer.result?["identity"]?["subject"]?.string == "own")
      #expect(try await peer.signIn("naver", "foreign", Self.address).outcome == "link_required")
      // Neither does a call name another identity beside the challenge, nor is the challenged one its own proof.
      for extra in [#","subject":"foreign""#, #","identity":{"provider":"naver","subject":"foreign"}"#] {
        #expect(try await peer.confirm(foreign.challengeID, Proof.word(mira), extra).reason == "invalid_params")
      }
      #expect(
        try await peer.confirm(foreign.challengeID, Proof.claims("naver", "foreign")).reason == "proof_rejected")
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'foreign'") == 0)
    }
  }

  /// Row 11: the attacker begins, and somebody else's word ends it.
  @Test func `a challenge is good for the caller and the person it was made for`() async throws {
    let callers = [
      TestService.caller("app", more: #", socket: "app"\#(Self.rights)"#),
      TestService.caller("other", more: #", socket: "admin"\#(Self.rights)"#),
    ]
    try await TestService.with(.init(callers: callers)) { services, database in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let other = try services[0].connect(to: .admin)
      defer { other.close() }
      let mira = try await app.signIn("apple", "mira", Self.address, verified: true).userID
      let victim = try await app.signIn("apple", "victim", "victim@example.org", verified: true).userID
      let asked = try await app.signIn("naver", "attacker", Self.address)
      #expect(try await other.confirm(asked.challengeID, Proof.word(mira)).reason == "challenge_mismatch")
      #expect(try await app.confirm(asked.challengeID, Proof.word(victim)).reason == "proof_rejected")
      #expect(try await app.confirm(asked.challengeID, Proof.claims("apple", "victim")).reason == "proof_rejected")
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'attacker'") == 0)
    }
  }

  /// Row 15: one subject for two users, by linking.
  @Test func `of 64 who link one identity to two users one user gets it`() async throws {
    try await withRacers { peers, database in
      var users: [String] = []
      for number in 0..<2 { users.append(try await peers[number].signIn("apple", "user\(number)").userID ?? "") }
      let answers = try await race(peers) { number in
        let claims = SignInCall("linkedin", "contested", "c@example.org", verified: true).json
        return TestPeer.call(
          "identity.link", #"{"user_id":"\#(users[number / 2 % 2])","claims":\#(claims)}"#, id: "1")
      }
      let winners = Set(answers.compactMap { $0.result?["identity"]?["user_id"]?.string })
      #expect(winners.count == 1)
      #expect(answers.count { $0.result != nil } == Self.racerCount / 2)
      #expect(answers.count { $0.reason == "identity_linked_elsewhere" } == Self.racerCount / 2)
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'contested'") == 1)
      #expect(
        try await database.count("select count(*)::text from kith.events where type = 'identity.linked'") == 1)
    }
  }

  /// Row 16: a proof by the subject alone.
  @Test func `a subject of another namespace is no proof`() async throws {
    try await withPeer { peer, _ in
      _ = try await peer.signIn("apple", "same", Self.address, verified: true)
      _ = try await peer.signIn("linkedin", "same")
      let asked = try await peer.signIn("naver", "n", Self.address)
      #expect(try await peer.confirm(asked.challengeID, Proof.claims("linkedin", "same")).reason == "proof_rejected")
      #expect(try await peer.confirm(asked.challengeID, Proof.claims("apple", "same")).outcome == "linked")
    }
  }

  /// Row 17: two unlinks that each see the other's identity.
  @Test func `of 64 who unlink everything one identity always remains`() async throws {
    try await withRacers { peers, database in
      let mira = try await peers[0].signIn("apple", "i0").userID ?? ""
      var identities = [try await peers[0].signIn("apple", "i0").identityID ?? ""]
      for number in 1..<4 {
        identities.append(try await peers[0].link(SignInCall("apple", "i\(number)"), to: mira).identityID ?? "")
      }
      let answers = try await race(peers) { number in
        TestPeer.call(
          "identity.unlink", #"{"user_id":"\#(mira)","identity_id":"\#(identities[number % 4])"}"#, id: "1")
      }
      #expect(answers.count { $0.result != nil } == 3)
      #expect(
        answers.allSatisfy { $0.result != nil || ["last_sign_in_method", "not_found"].contains($0.reason ?? "") })
      #expect(answers.contains { $0.reason == "last_sign_in_method" })
      #expect(try await database.count("select count(*)::text from kith.identities") == 1)
    }
  }

  /// Row 18: after an unlinking the address leads back.
  @Test func `an unlinked identity is not attached again by its address, through any provider's word`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let second = try await peer.signIn("linkedin", "m", Self.address, verified: true)
      #expect(second.outcome == "linked")
      #expect(try await peer.unlink(second.identityID, from: mira).result != nil)
      for _ in 0..<3 {
        let again = try await peer.signIn("linkedin", "m", Self.address, verified: true)
        #expect(again.outcome == "link_required" && again.userID == nil)
      }
      // Nor by way of a registration.
      let held = try await peer.signIn(
        "linkedin", "m", Self.address, verified: true, #""link":"never""#, #""register":"hold""#)
      let completed = try await peer.call(
        "registration.complete",
        #"{"registration_id":"\#(held.result?["registration"]?["id"]?.string ?? "")"}"#)
      #expect(completed.userID != mira)
      #expect(try await peer.emails(of: mira) == [Self.address: true])
    }
  }

  /// Row 22: the flag is set by the user themselves.
  @Test func `a caller that may not assert neither links nor proves by claims`() async throws {
    let callers = [
      TestService.caller("app", mayAssert: false, more: #", socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin"\#(Self.rights)"#),
    ]
    try await TestService.with(.init(callers: callers)) { services, database in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let mira = try await admin.signIn("apple", "mira", Self.address, verified: true).userID
      let asked = try await admin.signIn("naver", "n", Self.address)
      let claims = SignInCall("apple", "attacker", "attacker@example.org", verified: true)
      #expect(try await app.link(claims, to: mira).reason == "link_forbidden")
      #expect(try await app.confirm(asked.challengeID, Proof.claims("apple", "mira")).reason == "link_forbidden")
      for flag in [#","verified":true"#, #","vouched_by_token":true"#, #","sources":["email_token"]"#] {
        #expect(try await app.email("add", "attacker@example.org", of: mira, flag).reason == "invalid_params")
      }
      #expect(try await database.count("select count(*)::text from kith.identities") == 1)
      #expect(try await admin.emails(of: mira) == [Self.address: true])
    }
  }

  /// Row 24: a provider signs any address.
  @Test func `a proof is who somebody is, not which address they come with`() async throws {
    try await withPeer { peer, _ in
      _ = try await peer.signIn("apple", "mira", Self.address, verified: true)
      let asked = try await peer.signIn("naver", "n", Self.address)
      let claims = SignInCall("apple", "attacker", Self.address, verified: true).json
      #expect(try await peer.confirm(asked.challengeID, #"{"claims":\#(claims)}"#).reason == "proof_rejected")
    }
  }

  /// Sign-ins, links, unlinkings and addresses of the same few people at once: no ring of locks, and nothing half done.
  @Test func `people who are changed from all sides end whole`() async throws {
    try await withRacers { peers, database in
      var users: [String] = []
      for number in 0..<4 {
        users.append(
          try await peers[number].signIn("apple", "u\(number)", "u\(number)@example.org", verified: true).userID ?? "")
      }
      var random = SeededRandom(seed: 17)
      for _ in 0..<6 {
        let answers = try await race(peers) { _ in
          let user = users[Int.random(in: 0..<4, using: &random)]
          let subject = "s\(Int.random(in: 0..<6, using: &random))"
          let address = "a\(Int.random(in: 0..<6, using: &random))@example.org"
          let claims = SignInCall("linkedin", subject, address, verified: true).json
          return switch Int.random(in: 0..<5, using: &random) {
          case 0: TestPeer.call("signin.resolve", claims, id: "1")
          case 1: TestPeer.call("identity.link", #"{"user_id":"\#(user)","claims":\#(claims)}"#, id: "1")
          case 2: TestPeer.call("email.add", #"{"user_id":"\#(user)","email":"\#(address)"}"#, id: "1")
          case 3: TestPeer.call("email.remove", #"{"user_id":"\#(user)","email":"\#(address)"}"#, id: "1")
          default: TestPeer.call("user.get", #"{"provider":"linkedin","subject":"\#(subject)"}"#, id: "1")
          }
        }
        for answer in answers { #expect(answer.reason != "internal", "\(answer.text)") }
        let unlinks = try await database.texts(
          "select user_id || ' ' || id from kith.identities where subject like 's%'")
        let unlinked = try await race(Array(peers.prefix(2 * unlinks.count))) { number in
          let parts = unlinks[number / 2].split(separator: " ")
          return TestPeer.call(
            "identity.unlink", #"{"user_id":"\#(parts[0])","identity_id":"\#(parts[1])"}"#, id: "1")
        }
        for answer in unlinked { #expect(answer.reason != "internal", "\(answer.text)") }
      }
      #expect(
        try await database.count(
          "select deadlocks::text from pg_stat_database where datname = current_database()") == 0)
    }
  }
}
