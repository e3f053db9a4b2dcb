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
