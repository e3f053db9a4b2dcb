import TestSupport
import Testing

/// Challenges, and identities that are attached and taken off, over the socket.
struct LinkingTests {
  private static let address = "mira@example.org"
  private static let rights = #", may_authenticate: true, may_see_owners: true"#

  /// Mira, whom Apple vouches for, and the challenge of somebody at Naver who says that she is she.
  private struct Scene {
    let mira: String
    let challenge: String

    static func make(on peer: TestPeer, subject: String = "mira-nv", _ more: String...) async throws -> Scene {
      let mira = try await peer.signIn("apple", "mira", LinkingTests.address, verified: true)
      var call = SignInCall("naver", subject, LinkingTests.address, verified: true)
      call.more = more
      let asked = try await peer.call("signin.resolve", call.json)
      #expect(asked.outcome == "link_required", "\(asked.text)")
      return Scene(mira: try #require(mira.userID), challenge: try #require(asked.challengeID))
    }
  }

  private func withPeer(_ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: Self.rights)])
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
      try await database.expectConsistency()
    }
  }

  // MARK: link.confirm

  @Test func `a proof attaches the identity with what is held of the person`() async throws {
    for isByWord in [true, false] {
      try await withPeer { peer, database in
        let scene = try await Scene.make(on: peer, #""nickname":"mi""#)
        let proof = isByWord ? Proof.word(scene.mira) : Proof.claims("apple", "mira")
        let answer = try await peer.confirm(
          scene.challenge, proof, #","include":["profile","emails"],"request_key":"k""#)
        #expect(answer.outcome == "linked" && answer.userID == scene.mira)
        #expect(answer.result?["matched_by"]?.string == "email")
        #expect(answer.result?["identity"]?["linked_by"]?.string == "confirm")
        #expect(answer.result?["resumed"]?.bool == true)
        #expect(answer.result?["user"]?["profile"]?["nickname"]?.string == "mi")
        // Naver's word does not count: one source as before.
        #expect(answer.result?["user"]?["emails"]?[0]?["sources"]?.elements.count == 1)
        #expect(try await peer.signIn("naver", "mira-nv").userID == scene.mira)
        #expect(
          try await peer.confirm(
            scene.challenge, proof, #","include":["profile","emails"],"request_key":"k""#
          ).result == answer.result)
        #expect(try await peer.confirm(scene.challenge, proof).reason == "challenge_used")
        #expect(
          try await database.texts("select type from kith.events order by xid, seq") == [
            "user.registered", "registration.held", "identity.linked", "user.updated", "registration.completed",
          ])
      }
    }
  }

  @Test func `what a trusted provider vouches for becomes one more source`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true)
      let asked = try await peer.signIn("linkedin", "m", Self.address, verified: true, #""link":"confirm""#)
      #expect(asked.outcome == "link_required")
      let answer = try await peer.confirm(asked.challengeID, Proof.word(mira.userID), #","include":["emails"]"#)
      #expect(answer.outcome == "linked")
      #expect(answer.result?["user"]?["emails"]?[0]?["sources"]?.elements.count == 2)
    }
  }

  @Test func `four wrong proofs are counted, the fifth uses the challenge up`() async throws {
    try await withPeer { peer, database in
      let scene = try await Scene.make(on: peer)
      let other = try await peer.signIn("apple", "other")
      let wrong = [
        (Proof.word(other.userID), "said to be signed in"), (Proof.claims("apple", "other"), "not one of the user"),
        (Proof.claims("apple", "nobody"), "no user's"), (Proof.claims("naver", "mira-nv"), "the very identity"),
        (Proof.claims("linkedin", "mira"), "no user's"),
      ]
      for (count, (proof, told)) in wrong.enumerated() {
        let answer = try await peer.confirm(scene.challenge, proof, #","request_key":"k\#(count)""#)
        #expect(answer.reason == "proof_rejected" && answer.code == 1002, "\(proof)")
        #expect(answer.error?["message"]?.string?.contains(told) == true, "\(answer.text)")
        #expect(!answer.text.contains(other.userID ?? ""))
        #expect(try await database.count("select attempts::text from kith.challenges") == count + 1)
      }
      #expect(try await peer.confirm(scene.challenge, Proof.word(scene.mira)).reason == "challenge_used")
      #expect(try await database.count("select count(*)::text from kith.identities") == 2)
      // Whoever is asked again may try again.
      let again = try await peer.signIn("naver", "mira-nv", Self.address, verified: true)
      #expect(try await peer.confirm(again.challengeID, Proof.word(scene.mira)).outcome == "linked")
    }
  }

  @Test func `an expired challenge, an unknown one, and one of another caller are told apart`() async throws {
    let callers = [
      TestService.caller("app", more: #", socket: "app"\#(Self.rights)"#),
      TestService.caller("ops", more: #", socket: "admin"\#(Self.rights)"#),
    ]
    try await TestService.with(.init(callers: callers)) { services, database in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let scene = try await Scene.make(on: app)
      let proof = Proof.word(scene.mira)
      #expect(try await admin.confirm(scene.challenge, proof).reason == "challenge_mismatch")
      #expect(try await app.confirm(scene.mira, proof).reason == "not_found")
      #expect(try await database.count("select attempts::text from kith.challenges") == 0)
      try await database.script(
        """
        update kith.challenges set created_at = now() - interval '1 hour', expires_at = now() - interval '1 second'
        """)
      #expect(try await app.confirm(scene.challenge, proof).reason == "challenge_expired")
    }
  }

  @Test func `a challenge dies with what it was made of`() async throws {
    func after(_ change: (TestPeer, Scene) async throws -> Void) async throws -> WireAnswer? {
      var answer: WireAnswer?
      try await withPeer { peer, _ in
        let scene = try await Scene.make(on: peer)
        try await change(peer, scene)
        answer = try await peer.confirm(scene.challenge, Proof.word(scene.mira))
      }
      return answer
    }
    let reason = #""reason":"test""#
    let disabled = try await after { peer, scene async throws in
      _ = try await peer.call("user.disable", #"{"id":"\#(scene.mira)",\#(reason)}"#)
    }
    #expect(disabled?.reason == "user_disabled")
    let enabled = try await after { peer, scene async throws in
      _ = try await peer.call("user.disable", #"{"id":"\#(scene.mira)",\#(reason)}"#)
      _ = try await peer.call("user.enable", #"{"id":"\#(scene.mira)",\#(reason)}"#)
    }
    #expect(enabled?.reason == "challenge_mismatch")
    // Apple gives her another address, so the one that was asked about is a mere claim.
    let moved = try await after { peer, _ async throws in
      _ = try await peer.signIn("apple", "mira", "other@example.org", verified: true)
    }
    #expect(moved?.reason == "challenge_mismatch")
    let removed = try await after { peer, scene async throws in
      #expect(try await peer.email("remove", Self.address, of: scene.mira).result != nil)
    }
    #expect(removed?.reason == "challenge_mismatch")
    let unlinked = try await after { peer, scene async throws in
      let second = try await peer.link(SignInCall("linkedin", "second"), to: scene.mira)
      #expect(try await peer.unlink(second.identityID, from: scene.mira).result != nil)
    }
    #expect(unlinked?.reason == "challenge_mismatch")
    // The identity has become somebody.
    let linked = try await after { peer, scene async throws in
      #expect(try await peer.link(SignInCall("naver", "mira-nv"), to: scene.mira).result != nil)
    }
    #expect(linked?.outcome == "signed_in")
    let elsewhere = try await after { peer, _ async throws in
      let other = try await peer.signIn("apple", "other").userID
      #expect(try await peer.link(SignInCall("naver", "mira-nv"), to: other).result != nil)
    }
    #expect(elsewhere?.reason == "identity_linked_elsewhere")
    #expect(elsewhere?.error?["data"]?["user_id"]?.string != nil)
  }

  @Test func `what a caller may not say is refused and not counted`() async throws {
    let callers = [
      TestService.caller("app", mayAssert: false, more: #", socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin"\#(Self.rights)"#),
    ]
    try await TestService.with(.init(callers: callers)) { services, database in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let scene = try await Scene.make(on: admin)
      for proof in [Proof.word(scene.mira), Proof.claims("apple", "mira")] {
        let answer = try await app.confirm(scene.challenge, proof)
        #expect(answer.reason == "link_forbidden" && answer.code == 1002)
      }
      #expect(try await app.link(SignInCall("naver", "x"), to: scene.mira).reason == "link_forbidden")
      #expect(try await database.count("select attempts::text from kith.challenges") == 0)
      #expect(try await database.count("select count(*)::text from kith.identities") == 1)
    }
  }

  @Test func `a proof is one of its forms and nothing else`() async throws {
    try await withPeer { peer, _ in
      let scene = try await Scene.make(on: peer)
      for (proof, path) in [
        ("{}", "params.proof"), (#"{"user_id":"\#(scene.mira)"}"#, "params.proof"),
        (#"{"authenticated":true}"#, "params.proof"),
        (#"{"user_id":"\#(scene.mira)","authenticated":false}"#, "params.proof.authenticated"),
        (#"{"user_id":"\#(scene.mira)","authenticated":"true"}"#, "params.proof.authenticated"),
        (#"{"claims":{"provider":"apple","subject":"mira"},"user_id":"\#(scene.mira)"}"#, "params.proof"),
        (#"{"claims":{"provider":"apple"}}"#, "params.proof.claims.subject"),
        (#"{"claims":{"provider":"apple","subject":"mira","email":"x"}}"#, "params.proof.claims.email"),
        (#"{"claims":{"provider":"apple","subject":"mira","sub":"x"}}"#, "params.proof.claims.sub"),
      ] {
        let answer = try await peer.confirm(scene.challenge, proof)
        #expect(answer.reason == "invalid_params" && answer.path == path, "\(proof)")
      }
      let unknown = try await peer.confirm(scene.challenge, Proof.claims("github", "mira"))
      #expect(unknown.reason == "namespace_unknown" && unknown.path == "params.proof.claims.provider")
    }
  }

  // MARK: identity.link

  @Test func `an identity is linked to who is signed in, once, told and audited`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let call = SignInCall("linkedin", "m", "work@example.org", verified: true, #""nickname":"mi""#)
      let first = try await peer.link(call, to: mira, #","reason":"asked for""#)
      #expect(first.result?["identity"]?["linked_by"]?.string == "link")
      #expect(first.result?["identity"]?["user_id"]?.string == mira)
      #expect(first.result?["identity"]?["email"]?.string == "work@example.org")
      #expect(first.result?["request_id"]?.string != nil)
      #expect(try await peer.link(call, to: mira).result?["identity"] == first.result?["identity"])
      #expect(try await peer.emails(of: mira) == [Self.address: true, "work@example.org": true])
      #expect(
        try await database.texts("select type from kith.events order by xid, seq") == [
          "user.registered", "identity.linked", "user.updated", "email.verified",
        ])
      let identity = first.identityID ?? ""
      #expect(
        try await database.texts("select concat_ws(' ', action, user_id, reason, data) from kith.audit") == [
          #"identity.link \#(mira ?? "") asked for {"identity_id":"\#(identity)"}"#
        ])
      #expect(try await peer.signIn("linkedin", "m").userID == mira)
    }
  }

  @Test func `an address of somebody else does not come along`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let other = try await peer.signIn("apple", "other", "other@example.org", verified: true).userID
      #expect(
        try await peer.link(SignInCall("linkedin", "m", Self.address, verified: true), to: other).result != nil)
      #expect(try await peer.emails(of: other) == ["other@example.org": true, Self.address: false])
      #expect(try await peer.emails(of: mira) == [Self.address: true])
    }
  }

  @Test func `whose an identity is, is told to who may see it`() async throws {
    let callers = [
      TestService.caller("app", more: #", socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin"\#(Self.rights)"#),
    ]
    try await TestService.with(.init(callers: callers)) { services, _ in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let mira = try await app.signIn("apple", "mira").userID
      let other = try await app.signIn("apple", "other").userID
      for (peer, told) in [(app, nil), (admin, mira)] {
        let answer = try await peer.link(SignInCall("apple", "mira"), to: other)
        #expect(answer.reason == "identity_linked_elsewhere" && answer.code == 1001)
        #expect(answer.error?["data"]?["user_id"]?.string == told)
      }
    }
  }

  @Test func `nobody is linked to who is disabled, unknown or gone; a former id means the survivor`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID ?? ""
      let former = try await peer.signIn("apple", "former").userID ?? ""
      try await database.script(
        """
        delete from kith.identities where user_id = '\(former)';
        update kith.users set status = 'merged', merged_into = '\(mira)' where id = '\(former)';
        insert into kith.users (id, status) values ('01890000-0000-7000-8000-000000000001', 'erased');
        insert into kith.events (id, type, at, user_id) select gen_random_uuid(), 'user.registered', now(),
          '01890000-0000-7000-8000-000000000001';
        """)
      let linked = try await peer.link(SignInCall("linkedin", "m"), to: former)
      #expect(linked.result?["identity"]?["user_id"]?.string == mira)
      #expect(
        try await peer.link(SignInCall("naver", "n"), to: "01890000-0000-7000-8000-000000000001").reason
          == "user_erased")
      #expect(
        try await peer.link(SignInCall("naver", "n"), to: "01890000-0000-7000-8000-000000000009").reason == "not_found")
      _ = try await peer.call("user.disable", #"{"id":"\#(mira)","reason":"test"}"#)
      #expect(try await peer.link(SignInCall("naver", "n"), to: mira).reason == "user_disabled")
      try await database.script("delete from kith.users where status in ('merged', 'erased')")
    }
  }

  @Test func `details that are held go along when the person is linked`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira").userID
      _ = try await peer.signIn(
        "linkedin", "m", "work@example.org", verified: true, #""nickname":"mi""#, #""register":"hold""#)
      #expect(try await peer.link(SignInCall("linkedin", "m"), to: mira).result != nil)
      #expect(try await peer.emails(of: mira) == ["work@example.org": true])
      let user = try await peer.call("user.get", #"{"id":"\#(mira ?? "")","include":["profile"]}"#)
      #expect(user.result?["user"]?["profile"]?["nickname"]?.string == "mi")
      #expect(try await database.count("select count(*)::text from kith.registrations where user_id is null") == 0)
    }
  }

  // MARK: identity.unlink

  @Test func `an identity is taken off and vouches for nothing any more`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let second = try await peer.link(SignInCall("linkedin", "m", "work@example.org", verified: true), to: mira)
      let params = #","reason":"asked for","request_key":"k""#
      let answer = try await peer.unlink(second.identityID, from: mira, params)
      #expect(answer.result?["unlinked"]?.bool == true)
      #expect(try await peer.unlink(second.identityID, from: mira, params).result == answer.result)
      #expect(try await peer.unlink(second.identityID, from: mira).reason == "not_found")
      #expect(try await peer.emails(of: mira) == [Self.address: true, "work@example.org": false])
      #expect(
        try await database.texts(
          "select type from kith.events where type not in ('user.registered') order by xid, seq") == [
            "identity.linked", "email.verified", "identity.unlinked", "email.unverified",
          ])
      #expect(
        try await database.texts("select concat_ws(' ', action, reason) from kith.audit order by seq") == [
          "identity.link", "identity.unlink asked for",
        ])
      // It is nobody's now, and becomes somebody else where nothing may be linked.
      let asked = try await peer.signIn("linkedin", "m", "work@example.org", verified: true)
      #expect(asked.outcome == "link_required")
      let anew = try await peer.signIn("linkedin", "m", "work@example.org", verified: true, #""link":"never""#)
      #expect(anew.outcome == "registered" && anew.userID != mira)
      #expect(try await peer.emails(of: mira) == [Self.address: true])
    }
  }

  @Test func `the last usable way in stays`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira").userID
      let apple = try await peer.signIn("apple", "mira").identityID
      #expect(try await peer.unlink(apple, from: mira).reason == "last_sign_in_method")
      // A password without an address is no way in.
      _ = try await peer.link(SignInCall("password", "mira"), to: mira)
      #expect(try await peer.unlink(apple, from: mira).reason == "last_sign_in_method")
      let token = try await peer.email("add", Self.address, of: mira).result?["token"]?.string ?? ""
      #expect(try await peer.unlink(apple, from: mira).reason == "last_sign_in_method")
      #expect(try await peer.email("verify", Self.address, of: mira, #","token":"\#(token)""#).result != nil)
      #expect(try await peer.unlink(apple, from: mira).result != nil)
      // Nor may the address go that makes it one.
      #expect(try await peer.email("remove", Self.address, of: mira).reason == "last_sign_in_method")
    }
  }

  @Test func `an address that the identity alone vouches for makes no way in of a password`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true)
      _ = try await peer.link(SignInCall("password", "mira"), to: mira.userID)
      #expect(try await peer.unlink(mira.identityID, from: mira.userID).reason == "last_sign_in_method")
    }
  }

  @Test func `only the user's own identity is taken off`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira")
      let other = try await peer.signIn("apple", "other")
      _ = try await peer.link(SignInCall("linkedin", "m"), to: mira.userID)
      #expect(try await peer.unlink(mira.identityID, from: other.userID).reason == "not_found")
      #expect(try await peer.unlink(mira.userID, from: mira.userID).reason == "not_found")
      #expect(try await peer.unlink(mira.identityID, from: mira.identityID).reason == "not_found")
    }
  }

  @Test func `what was unlinked comes back by a proof or a link, and then stays by itself`() async throws {
    for isByLink in [true, false] {
      try await withPeer { peer, database in
        let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
        let second = try await peer.signIn("linkedin", "m", Self.address, verified: true)
        #expect(second.outcome == "linked")
        #expect(try await peer.unlink(second.identityID, from: mira).result != nil)
        let asked = try await peer.signIn("linkedin", "m", Self.address, verified: true)
        #expect(asked.outcome == "link_required")
        if isByLink {
          #expect(
            try await peer.link(SignInCall("linkedin", "m", Self.address, verified: true), to: mira).result != nil)
        } else {
          #expect(try await peer.confirm(asked.challengeID, Proof.word(mira)).outcome == "linked")
        }
        #expect(try await database.count("select count(*)::text from kith.unlinked") == 0)
        #expect(try await peer.signIn("linkedin", "m", Self.address, verified: true).userID == mira)
      }
    }
  }
}
