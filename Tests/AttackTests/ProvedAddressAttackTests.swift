import TestSupport
import Testing

/// Attempts to come into an account by an address that somebody does not hold.
struct ProvedAddressAttackTests {
  private static let address = "mira@example.org"

  /// Row 1, pre-hijacking: whoever waits in an account with somebody else's unproved address gains nothing.
  @Test func `a squatter loses a claimed address to whoever proves it and gains nothing`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let squatter = try await peer.signIn("naver", "squatter", Self.address)
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true)
      #expect(squatter.outcome == "registered")
      #expect(mira.outcome == "registered")
      #expect(mira.userID != squatter.userID)
      #expect(try await peer.emails(of: squatter.userID).isEmpty)
      #expect(try await peer.emails(of: mira.userID) == [Self.address: true])
      #expect(
        try await database.texts("select type from kith.events order by seq") == [
          "user.registered", "email.claim_dropped", "user.registered",
        ])
      // The squatter comes back with the same words and is still nobody but themselves.
      let again = try await peer.signIn("naver", "squatter", Self.address)
      #expect(again.userID == squatter.userID)
      #expect(try await peer.emails(of: mira.userID) == [Self.address: true])
    }
  }

  /// Row 5: only the JSON value true says that an address is verified, and only where the provider is trusted.
  @Test func `a provider that does not verify opens no account`() async throws {
    try await TestService.withPeer { _, peer in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true)
      let claims = #""subject":"attacker","email":"\#(Self.address)""#
      for verified in ["null", #""false""#, "1", "0", #""TRUE""#, #""true""#, #""1""#, "[true]", "{}"] {
        let answer = try await peer.call(
          "signin.resolve", #"{"provider":"linkedin",\#(claims),"email_verified":\#(verified)}"#)
        #expect(answer.reason == "invalid_params", "\(verified)")
        #expect(answer.path == "params.email_verified")
      }
      for (provider, verified) in [("linkedin", ""), ("linkedin", "false"), ("naver", "true"), ("password", "true")] {
        let member = verified.isEmpty ? "" : #","email_verified":\#(verified)"#
        let answer = try await peer.call("signin.resolve", #"{"provider":"\#(provider)",\#(claims)\#(member)}"#)
        #expect(answer.outcome == "link_required", "\(provider) \(verified)")
      }
      #expect(try await peer.emails(of: mira.userID) == [Self.address: true])
    }
  }

  /// Row 6, the mutable address as the key.
  @Test func `an address that was given up does not lead back to its former user`() async throws {
    try await changingAddress(from: "mira@example.org", to: "mira@elsewhere.example")
  }

  /// Row 23, a domain that somebody else registered.
  @Test func `a domain registered again does not lead back to its former users`() async throws {
    try await changingAddress(from: "mira@lapsed.example", to: "mira.muster@lapsed.example")
  }

  private func changingAddress(from old: String, to new: String) async throws {
    try await TestService.withPeer { _, peer in
      let mira = try await peer.signIn("apple", "mira", old, verified: true)
      let moved = try await peer.signIn("apple", "mira", new, verified: true)
      #expect(moved.userID == mira.userID)
      for (provider, verified) in [("naver", false), ("linkedin", true), ("apple", true)] {
        let heir = try await peer.signIn(provider, "heir-of-\(provider)", old, verified: verified)
        #expect(["registered", "linked"].contains(heir.outcome))
        #expect(heir.userID != mira.userID)
      }
      #expect(try await peer.emails(of: mira.userID) == [new: true])
    }
  }

  /// Row 22: the caller itself calls an address verified.
  @Test func `a caller that may not assert cannot call an address verified`() async throws {
    let callers = [
      TestService.caller("app", mayAssert: false, more: #", socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin""#),
    ]
    try await TestService.with(.init(callers: callers)) { services, _ in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let user = try await admin.signIn("naver", "mira", Self.address).userID ?? ""
      let resolved = try await app.signIn("apple", "attacker", Self.address, verified: true)
      #expect(resolved.reason == "method_forbidden")
      for profile in [
        #"{"email_verified":true}"#, #"{"email":"\#(Self.address)"}"#, #"{"emails":[{"verified":true}]}"#,
      ] {
        let updated = try await app.call("user.update", #"{"id":"\#(user)","profile":\#(profile)}"#)
        #expect(updated.reason == "invalid_params")
      }
      #expect(try await admin.emails(of: user) == [Self.address: false])
    }
  }
}
