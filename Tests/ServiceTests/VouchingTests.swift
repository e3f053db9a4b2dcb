import TestSupport
import Testing

/// What vouches for an address, and what becomes of it when the vouching moves.
struct VouchingTests {
  private static let old = "old@example.org"
  private static let new = "new@example.org"

  @Test func `a changed address moves the vouching and leaves the old one a mere claim`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
      let changed = try await peer.signIn("apple", "mira", Self.new, verified: true)
      #expect(changed.outcome == "signed_in")
      #expect(changed.result?["identity"]?["email"]?.string == Self.new)
      #expect(try await peer.emails(of: user) == [Self.old: false, Self.new: true])
      #expect(
        try await database.texts("select type || ' ' || coalesce(data->>'email', '') from kith.events order by seq")
          == [
            "user.registered ", "email.unverified \(Self.old)", "identity.email_changed \(Self.new)",
            "email.verified \(Self.new)",
          ])
      // Handed on to somebody else, the old address opens nobody's account.
      let heir = try await peer.signIn("linkedin", "heir", Self.old, verified: true)
      #expect(heir.outcome == "registered")
      #expect(try await peer.emails(of: heir.userID) == [Self.old: true])
      #expect(try await peer.emails(of: user) == [Self.new: true])
    }
  }

  @Test func `an address stays verified while another identity vouches for it`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
      _ = try await peer.signIn("linkedin", "mira-li", Self.old, verified: true)
      _ = try await peer.signIn("apple", "mira", Self.new, verified: true)
      #expect(try await peer.emails(of: user) == [Self.old: true, Self.new: true])
      #expect(try await database.count("select count(*)::text from kith.events where type = 'email.unverified'") == 0)
      _ = try await peer.signIn("linkedin", "mira-li", Self.new, verified: true)
      #expect(try await peer.emails(of: user) == [Self.old: false, Self.new: true])
      #expect(try await database.count("select count(*)::text from kith.events where type = 'email.unverified'") == 1)
      // The second to vouch for it proves nothing new.
      #expect(try await database.count("select count(*)::text from kith.events where type = 'email.verified'") == 1)
    }
  }

  @Test func `a provider that stops calling an address verified no longer vouches for it`() async throws {
    try await TestService.withPeer { _, peer in
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
      _ = try await peer.signIn("apple", "mira", Self.old, verified: false)
      #expect(try await peer.emails(of: user) == [Self.old: false])
      _ = try await peer.signIn("apple", "mira", Self.old, verified: true)
      #expect(try await peer.emails(of: user) == [Self.old: true])
      // Silence about the address says nothing.
      _ = try await peer.signIn("apple", "mira")
      #expect(try await peer.emails(of: user) == [Self.old: true])
    }
  }

  @Test func `a newly verified address that somebody else holds stays theirs`() async throws {
    try await TestService.withPeer { _, peer in
      let holder = try await peer.signIn("linkedin", "holder", Self.new, verified: true).userID
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
      let answer = try await peer.signIn("apple", "mira", Self.new, verified: true)
      #expect(answer.userID == user)
      #expect(try await peer.emails(of: holder) == [Self.new: true])
      #expect(try await peer.emails(of: user) == [Self.old: false, Self.new: false])
    }
  }

  @Test func `an address that becomes free is taken up by whoever reports it anew, and not before`() async throws {
    for isErased in [true, false] {
      try await TestService.withPeer { _, peer in
        let holder = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
        let other = try await peer.signIn("linkedin", "noor", Self.old, verified: true, #""link":"never""#).userID
        let gone =
          isErased
          ? try await peer.call("user.erase", #"{"id":"\#(holder ?? "")","reason":"asked for it"}"#)
          : try await peer.email("remove", Self.old, of: holder)
        #expect(gone.reason == nil, "\(gone.text)")
        // The provider says what it has said before.
        _ = try await peer.signIn("linkedin", "noor", Self.old, verified: true)
        #expect(try await peer.emails(of: other) == [Self.old: false])
        for address in [Self.new, Self.old] { _ = try await peer.signIn("linkedin", "noor", address, verified: true) }
        #expect(try await peer.emails(of: other) == [Self.old: true, Self.new: false])
      }
    }
  }

  @Test func `proving an address drops the claims of others and ends their epoch`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let claimants = [
        try await peer.signIn("naver", "one", Self.new).userID,
        try await peer.signIn("naver", "two", Self.new, verified: true).userID,
      ]
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID
      let epochs: StaticString = "select epoch::text from kith.users order by id"
      #expect(try await database.texts(epochs) == ["0", "0", "0"])
      _ = try await peer.signIn("apple", "mira", Self.new, verified: true)
      for claimant in claimants { #expect(try await peer.emails(of: claimant).isEmpty) }
      #expect(try await peer.emails(of: user) == [Self.old: false, Self.new: true])
      // She herself, because nobody vouches for her former address any more.
      #expect(try await database.texts(epochs) == ["1", "1", "1"])
      #expect(
        try await database.texts(
          "select user_id::text from kith.events where type = 'email.claim_dropped' order by user_id")
          == claimants.compactMap(\.self).sorted())
    }
  }

  /// Or else somebody who told of the same user meanwhile would come after it by the numbers.
  @Test(arguments: ["apple", "naver"])
  func `who waits for a user has no transaction number yet`(_ provider: String) async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.signIn("naver", "mira", Self.new)
      let user = try await peer.signIn("apple", "mira", Self.old, verified: true).userID ?? ""
      // Apple's changes a user and takes a claim from the other one; the other call changes just one.
      let other = provider == "apple" ? "<>" : "="
      let locked = "select pg_advisory_xact_lock(uuid_hash_extended(id, 0)) from kith.users where id \(other) '\(user)'"
      try await database.holding(locked) {
        if provider == "apple" {
          let call = SignInCall("apple", "mira", Self.new, verified: true).json
          peer.send(TestPeer.call("signin.resolve", call, id: "1"))
        } else {
          peer.send(TestPeer.call("user.disable", #"{"id":"\#(user)","reason":"lost her phone"}"#, id: "1"))
        }
        try await database.script(
          """
          do $$ begin while not exists (
            select from pg_stat_activity
            where datname = current_database() and usename = 'kith_runtime' and wait_event_type = 'Lock'
          ) loop perform pg_stat_clear_snapshot(); end loop; end $$
          """, as: .superuser)
        let numbered: StaticString = """
          select pid::text from pg_stat_activity
          where datname = current_database() and usename = 'kith_runtime' and backend_xid is not null
          """
        #expect(try await database.texts(numbered) == [])
      }
      #expect(try await peer.answer().reason == nil)
      try await database.expectConsistency()
    }
  }

  @Test func `two who prove addresses to each other's loss do not wait in a ring`() async throws {
    try await TestService.with(count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      // In each pair either claims the address that the other is going to prove.
      for pair in 0..<32 {
        for (mine, others) in [(0, 1), (1, 0)] {
          let made = try await peers[0].signIn("apple", "p\(pair)-\(mine)", "p\(pair)-\(others)@example.org")
          #expect(made.outcome == "registered", "\(made.text)")
        }
      }
      for (number, peer) in peers.enumerated() {
        let name = "p\(number / 2)-\(number % 2)"
        let call = SignInCall("apple", name, "\(name)@example.org", verified: true).json
        peer.send(TestPeer.call("signin.resolve", call, id: "1"))
      }
      for peer in peers { #expect(try await peer.answer().outcome == "signed_in") }
      let deadlocks: StaticString = "select deadlocks::text from pg_stat_database where datname = current_database()"
      #expect(try await database.count(deadlocks) == 0)
      #expect(try await database.count("select count(*)::text from kith.emails where not verified") == 0)
      try await database.expectConsistency()
    }
  }

  @Test func `another spelling of the same address is no change`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let user = try await peer.signIn("apple", "mira", "Mira@Bücher.example", verified: true).userID
      _ = try await peer.signIn("apple", "mira", "mira@xn--bcher-kva.example", verified: true)
      #expect(try await peer.emails(of: user) == ["mira@xn--bcher-kva.example": true])
      #expect(try await database.count("select count(*)::text from kith.events") == 1)
    }
  }
}
