import TestSupport
import Testing

/// Addresses that are added, proved and removed, over the socket.
struct EmailTests {
  private static let address = "Mira@Example.org"
  private static let canonical = "mira@example.org"

  private func withPeer(_ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
      try await database.expectConsistency()
    }
  }

  private func token(of answer: WireAnswer) -> String { answer.result?["token"]?.string ?? "?" }

  private func verify(_ token: String, of user: String?, on peer: TestPeer, _ more: String = "") async throws
    -> WireAnswer
  {
    try await peer.email("verify", Self.canonical, of: user, #","token":"\#(token)"\#(more)"#)
  }

  @Test func `an address is claimed until its token comes back`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID
      let added = try await peer.email("add", Self.address, of: mira)
      #expect(added.result?["email"]?["email"]?.string == Self.address)
      #expect(added.result?["email"]?["canonical"]?.string == Self.canonical)
      #expect(added.result?["email"]?["verified"]?.bool == false)
      #expect(token(of: added).utf8.count == 43)
      #expect(token(of: added).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
      #expect(added.result?["expires_at"]?.string != nil)
      #expect(try await peer.emails(of: mira) == [Self.canonical: false])
      let verified = try await verify(token(of: added), of: mira, on: peer)
      #expect(verified.result?["email"]?["verified"]?.bool == true)
      #expect(verified.result?["email"]?["sources"] == .array([.string("email_token")]))
      #expect(try await verify(token(of: added), of: mira, on: peer).reason == "challenge_used")
      #expect(
        try await database.texts("select type from kith.events order by xid, seq") == [
          "user.registered", "email.verified",
        ])
      let found = try await peer.call("user.get", #"{"email":"\#(Self.canonical)"}"#)
      #expect(found.userID == mira)
    }
  }

  @Test func `wrong, replaced and late tokens prove nothing`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID
      #expect(try await verify("x", of: mira, on: peer).reason == "proof_rejected")
      // Whether there is a token, or the address is theirs, is not told.
      var refusals = [try await verify("x", of: mira, on: peer).error?["message"]?.string]
      let first = token(of: try await peer.email("add", Self.address, of: mira))
      refusals.append(try await verify("x", of: mira, on: peer).error?["message"]?.string)
      #expect(refusals[0] == refusals[1] && refusals[0]?.contains("token") == true)
      let second = token(of: try await peer.email("add", Self.address, of: mira))
      #expect(first != second)
      for wrong in [first, second.lowercased(), second + "A", String(second.dropLast()), "\\u00e4"] {
        #expect(try await verify(wrong, of: mira, on: peer).reason == "proof_rejected")
      }
      let other = token(of: try await peer.email("add", "other@example.org", of: mira))
      #expect(try await verify(other, of: mira, on: peer).reason == "proof_rejected")
      try await database.script("update kith.email_tokens set expires_at = now() - interval '1 second'")
      let late = try await verify(second, of: mira, on: peer)
      #expect(late.reason == "challenge_expired" && late.error?["message"]?.string == "The token has expired.")
      #expect(try await peer.emails(of: mira) == [Self.canonical: false, "other@example.org": false])
    }
  }

  @Test func `whoever proves an address takes it from those who claim it`() async throws {
    try await withPeer { peer, database in
      let squatter = try await peer.signIn("naver", "squatter", Self.canonical).userID
      let mira = try await peer.signIn("apple", "mira").userID
      let token = token(of: try await peer.email("add", Self.address, of: mira))
      #expect(try await verify(token, of: mira, on: peer).result != nil)
      #expect(try await peer.emails(of: squatter).isEmpty)
      #expect(
        try await database.texts("select type from kith.events where type like 'email.%' order by xid, seq") == [
          "email.claim_dropped", "email.verified",
        ])
      #expect(try await peer.email("add", Self.address, of: squatter).reason == "email_taken")
    }
  }

  @Test func `a token is kept by its hash, and its answer sealed`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID
      let params = #","request_key":"k""#
      let first = try await peer.email("add", Self.address, of: mira, params)
      let again = try await peer.email("add", Self.address, of: mira, params)
      #expect(first.result == again.result)
      let token = token(of: first)
      #expect(
        try await database.texts("select (answer is null and sealed is not null)::text from kith.request_keys") == [
          "true"
        ])
      for table in ["email_tokens", "request_keys", "emails", "events", "audit"] {
        #expect(try await database.holds(token, in: table) == false, "\(table)")
      }
      #expect(try await verify(token, of: mira, on: peer, params).result != nil)
      #expect(try await verify(token, of: mira, on: peer, params).result != nil)
      #expect(try await verify(token, of: mira, on: peer).reason == "challenge_used")
    }
  }

  @Test func `a removed address does not come back by a sign-in, and does by being added`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", Self.canonical, verified: true).userID
      let removed = try await peer.email("remove", Self.address, of: mira, #","reason":"asked for""#)
      #expect(removed.result?["removed"]?.bool == true)
      #expect(try await peer.email("remove", Self.address, of: mira).reason == "not_found")
      for (email, verified) in [
        (Self.canonical, true), (Self.canonical, false), ("else@example.org", true), (Self.canonical, true),
      ] {
        #expect(try await peer.signIn("apple", "mira", email, verified: verified).userID == mira)
      }
      #expect(try await peer.emails(of: mira) == ["else@example.org": false])
      #expect(
        try await peer.link(SignInCall("linkedin", "m", Self.canonical, verified: true), to: mira).result != nil)
      #expect(try await peer.emails(of: mira) == ["else@example.org": false])
      #expect(
        try await database.texts(
          """
          select type || ' ' || (data->>'email') from kith.events
          where type like 'email.%' or type = 'identity.email_changed' order by xid, seq
          """) == [
            "email.unverified mira@example.org", "email.claim_dropped mira@example.org",
            "identity.email_changed else@example.org", "email.verified else@example.org",
            "email.unverified else@example.org", "identity.email_changed mira@example.org",
          ])
      #expect(
        try await database.texts("select concat_ws(' ', action, reason, data) from kith.audit order by seq").first
          == "email.remove asked for {}")
      let token = token(of: try await peer.email("add", Self.address, of: mira))
      #expect(try await verify(token, of: mira, on: peer).result != nil)
      #expect(try await database.count("select count(*)::text from kith.removed_emails") == 0)
      #expect(try await peer.emails(of: mira) == ["else@example.org": false, Self.canonical: true])
    }
  }

  @Test func `what was removed is free for somebody else`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.canonical, verified: true).userID
      #expect(try await peer.email("remove", Self.address, of: mira).result != nil)
      let other = try await peer.signIn("linkedin", "other", Self.canonical, verified: true)
      #expect(other.outcome == "registered" && other.userID != mira)
      #expect(try await peer.email("add", Self.address, of: mira).reason == "email_taken")
      #expect(try await peer.emails(of: other.userID) == [Self.canonical: true])
    }
  }

  @Test func `a disabled user gets and proves no address, and may be rid of one`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira").userID ?? ""
      let token = token(of: try await peer.email("add", Self.address, of: mira))
      _ = try await peer.call("user.disable", #"{"id":"\#(mira)","reason":"test"}"#)
      #expect(try await peer.email("add", Self.address, of: mira).reason == "user_disabled")
      #expect(try await verify(token, of: mira, on: peer).reason == "user_disabled")
      #expect(try await peer.email("remove", Self.address, of: mira).result != nil)
    }
  }

  @Test func `a former id means the survivor, and nobody else is found`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID ?? ""
      let former = try await peer.signIn("apple", "former").userID ?? ""
      try await database.script(
        """
        delete from kith.identities where user_id = '\(former)';
        update kith.users set status = 'merged', merged_into = '\(mira)' where id = '\(former)';
        """)
      let token = token(of: try await peer.email("add", Self.address, of: former))
      #expect(try await verify(token, of: former, on: peer).result != nil)
      #expect(try await peer.emails(of: mira) == [Self.canonical: true])
      #expect(try await peer.email("remove", Self.address, of: former).result != nil)
      for verb in ["add", "remove"] {
        #expect(
          try await peer.email(verb, Self.address, of: "01890000-0000-7000-8000-000000000009").reason == "not_found")
      }
      #expect(try await peer.email("add", "no address", of: mira).path == "params.email")
      try await database.script("delete from kith.users where status = 'merged'")
    }
  }
}

extension TestDatabase {
  /// Whether a text stands anywhere in a table, read as text.
  fileprivate func holds(_ text: String, in table: String) async throws -> Bool {
    let all =
      switch table {
      case "email_tokens": try await texts("select t::text from kith.email_tokens t")
      case "request_keys": try await texts("select t::text from kith.request_keys t")
      case "emails": try await texts("select t::text from kith.emails t")
      case "events": try await texts("select t::text from kith.events t")
      default: try await texts("select t::text from kith.audit t")
      }
    return all.contains { $0.contains(text) }
  }
}
