import Glibc
import TestSupport
import Testing

/// People who are not users yet: what they said is kept, comes back, and makes them users.
struct RegistrationTests {
  private static let name = #""name":{"given":"Mira","family":"Canary"}"#
  private static let hold = #""register":"hold""#
  private static let address = "mira@example.org"

  /// Signs somebody in for the first time, with everything that is told once.
  private func hold(_ peer: TestPeer, _ subject: String = "mira", more: String = #""locale":"ko""#) async throws
    -> String
  {
    let answer = try await peer.signIn(
      "apple", subject, subject == "mira" ? Self.address : "\(subject)@example.org", verified: true, Self.name,
      Self.hold, more)
    #expect(answer.outcome == "registration_held", "\(answer.text)")
    return try #require(answer.result?["registration"]?["id"]?.string)
  }

  private func complete(_ peer: TestPeer, _ registration: String, _ more: String = "") async throws -> WireAnswer {
    try await peer.call("registration.complete", #"{"registration_id":"\#(registration)"\#(more)}"#)
  }

  @Test func `what is told once is held, and comes back when it is not told again`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let registration = try await hold(peer)
      let again = try await peer.signIn("apple", "mira", nil, Self.hold)
      #expect(again.outcome == "registration_held")
      #expect(again.result?["resumed"]?.bool == true)
      let held = again.result?["registration"]
      #expect(held?["id"]?.string == registration)
      #expect(held?["details"]?["name"]?["family"]?.string == "Canary")
      #expect(held?["details"]?["email"]?.string == Self.address)
      #expect(held?["details"]?["email_verified"]?.bool == true)
      #expect(held?["attempts"]?.integer == 0)
      // Nothing new was said, so nothing was sealed again.
      #expect(try await database.texts("select version::text from kith.registrations") == ["1"])
      #expect(try await database.texts("select type from kith.events") == ["registration.held"])
      #expect(try await database.count("select count(*)::text from kith.users") == 0)
    }
  }

  @Test func `said again word for word, it is held longer and nothing is sealed again`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await hold(peer)
      #expect(
        try await database.texts(
          """
          update kith.registrations set held_at = held_at - interval '1 hour', said_at = said_at - interval '1 hour',
            email_said_at = email_said_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
          returning 'an hour ago'
          """) == ["an hour ago"])
      let key = #""request_key":"again""#
      let again = try await peer.signIn("apple", "mira", nil, Self.hold, key)
      #expect(
        try await database.texts(
          """
          select version || ' ' || (expires_at > now() + interval '29 days 23 hours 30 minutes') || ' '
            || (said_at > now() - interval '30 minutes') || ' ' || (email_said_at > now() - interval '30 minutes')
          from kith.registrations
          """) == ["1 true true false"])
      // That is a change, so its answer is kept.
      #expect(try await peer.signIn("apple", "mira", nil, Self.hold, key).result == again.result)
    }
  }

  @Test func `new facts fill gaps and never take anything away`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let registration = try await hold(peer, more: #""details":{"a":1,"b":"one"}"#)
      _ = try await peer.signIn(
        "apple", "mira", nil, Self.hold, #""nickname":"mi""#, #""name":{"given":"M"}"#, #""details":{"b":"two","c":[]}"#
      )
      let answer = try await peer.call("registration.get", #"{"registration_id":"\#(registration)"}"#)
      let details = answer.result?["registration"]?["details"]
      #expect(details?["name"]?["given"]?.string == "Mira" && details?["name"]?["family"]?.string == "Canary")
      #expect(details?["nickname"]?.string == "mi")
      #expect(answer.text.contains(#""details":{"b":"two","c":[],"a":1}"#), "\(answer.text)")
      #expect(try await database.texts("select version::text from kith.registrations") == ["2"])
    }
  }

  @Test func `of earlier details as many are kept as there is room for`() async throws {
    try await TestService.withPeer { _, peer in
      func text(_ count: Int) -> String { String(repeating: "x", count: count) }
      let registration = try await hold(
        peer, more: #""details":{"long":"\#(text(9000))","é":[1],"same":1,"b":"\#(text(3000))"}"#)
      _ = try await peer.signIn(
        "apple", "mira", nil, Self.hold, #""details":{"new":"\#(text(10_000))","same":2}"#)
      let answer = try await peer.call("registration.get", #"{"registration_id":"\#(registration)"}"#)
      let details = answer.result?["registration"]?["details"]?["details"]
      #expect(details?["new"]?.string?.count == 10_000 && details?["same"]?.integer == 2)
      #expect(details?["é"]?.elements.count == 1 && details?["b"]?.string?.count == 3000)
      #expect(details?["long"] == nil)
      // To the very byte: {"new":"…","same":2,"é":[1]} and nothing more.
      for (length, isKept) in [(16_384 - 27, false), (16_384 - 28, true)] {
        let subject = "s\(length)"
        let id = try await hold(peer, subject, more: #""details":{"é":[1]}"#)
        _ = try await peer.signIn("apple", subject, nil, Self.hold, #""details":{"new":"\#(text(length))","same":2}"#)
        let held = try await peer.call("registration.get", #"{"registration_id":"\#(id)"}"#)
          .result?["registration"]?["details"]?["details"]
        #expect(held?["new"]?.string?.count == length)
        #expect((held?["é"] != nil) == isKept, "\(length)")
      }
    }
  }

  @Test func `completed, a registration is a user, and the same one however often`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let registration = try await hold(peer)
      let first = try await complete(peer, registration, #","include":["profile","emails"]"#)
      #expect(first.outcome == "registered", "\(first.text)")
      #expect(first.result?["resumed"]?.bool == true)
      #expect(first.result?["user"]?["profile"]?["name"]?["family"]?.string == "Canary")
      #expect(first.result?["user"]?["profile"]?["locale"]?.string == "ko")
      #expect(first.result?["user"]?["emails"]?[0]?["verified"]?.bool == true)
      let second = try await complete(peer, registration)
      #expect(second.outcome == "registered" && second.userID == first.userID, "\(second.text)")
      #expect(second.result?["identity"]?["id"] == first.result?["identity"]?["id"])
      #expect(try await peer.signIn("apple", "mira").userID == first.userID)
      #expect(
        try await database.texts("select type from kith.events order by seq")
          == ["registration.held", "user.registered", "registration.completed"])
      #expect(
        try await database.texts("select coalesce(sealed::text, 'gone') from kith.registrations") == ["gone"])
      let gone = try await peer.call("registration.get", #"{"registration_id":"\#(registration)"}"#)
      #expect(gone.reason == "not_found")
      try await database.expectConsistency()
    }
  }

  @Test func `what the app knows better goes before what the provider said`() async throws {
    try await TestService.withPeer { _, peer in
      let registration = try await hold(peer)
      let answer = try await complete(
        peer, registration, #","profile":{"name":{"full":"Mira K."},"nickname":"mk"},"include":["profile"]"#)
      let profile = answer.result?["user"]?["profile"]
      #expect(profile?["name"] == .object(["full": .string("Mira K.")]))
      #expect(profile?["nickname"]?.string == "mk" && profile?["locale"]?.string == "ko")
    }
  }

  @Test func `a sign-in that may register takes up what is held`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let registration = try await hold(peer)
      let answer = try await peer.signIn("apple", "mira", nil, #""include":["profile","emails"]"#)
      #expect(answer.outcome == "registered" && answer.result?["resumed"]?.bool == true, "\(answer.text)")
      #expect(answer.result?["user"]?["profile"]?["name"]?["given"]?.string == "Mira")
      #expect(answer.result?["user"]?["emails"]?[0]?["canonical"]?.string == Self.address)
      #expect(try await complete(peer, registration).userID == answer.userID)
      try await database.expectConsistency()
    }
  }

  @Test func `an address that found an owner meanwhile makes no second holder`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let trusted = try await hold(peer)
      let untrusted = try await peer.signIn("naver", "nv", Self.address, Self.name, Self.hold)
      let separate = try await peer.signIn("apple", "sep", Self.address, verified: true, Self.hold, #""link":"never""#)
      let owner = try await peer.signIn("linkedin", "owner", Self.address, verified: true)
      #expect(owner.outcome == "registered")
      let linked = try await complete(peer, trusted)
      #expect(linked.outcome == "linked" && linked.userID == owner.userID, "\(linked.text)")
      #expect(try await complete(peer, trusted).outcome == "linked")
      let untrustedID = try #require(untrusted.result?["registration"]?["id"]?.string)
      let challenged = try await complete(peer, untrustedID)
      #expect(challenged.outcome == "link_required" && challenged.userID == nil, "\(challenged.text)")
      // Whoever chose not to be linked is not linked later either.
      let separateID = try #require(separate.result?["registration"]?["id"]?.string)
      let alone = try await complete(peer, separateID, #","include":["emails"]"#)
      #expect(alone.outcome == "registered" && alone.userID != owner.userID, "\(alone.text)")
      #expect(alone.result?["user"]?["emails"]?[0]?["verified"]?.bool == false)
      try await database.expectConsistency()
    }
  }

  @Test func `somebody who has to prove who they are does not lose what they said`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.signIn("apple", "owner", Self.address, verified: true)
      let first = try await peer.signIn("naver", "nv", Self.address, Self.name)
      #expect(first.outcome == "link_required" && first.result?["resumed"] == nil)
      #expect(try await database.count("select count(*)::text from kith.registrations") == 1)
      let later = try await peer.signIn("naver", "nv", nil, #""link":"never""#, #""include":["profile"]"#)
      #expect(later.outcome == "registered" && later.result?["resumed"]?.bool == true, "\(later.text)")
      #expect(later.result?["user"]?["profile"]?["name"]?["family"]?.string == "Canary")
      try await database.expectConsistency()
    }
  }

  @Test(arguments: [1, 2])
  func `many who hold, sign in and complete one person at once make one user`(_ daemons: Int) async throws {
    try await TestService.with(count: daemons) { services, database in
      let peers = try (0..<64).map { try services[$0 % daemons].connect() }
      defer { for peer in peers { peer.close() } }
      for round in 0..<5 {
        let subject = "mira\(round)"
        let registration = try await hold(peers[0], subject)
        for (number, peer) in peers.enumerated() {
          switch number % 3 {
          case 0:
            peer.send(
              TestPeer.call("registration.complete", #"{"registration_id":"\#(registration)"}"#, id: "\(number)"))
          case 1: peer.send(TestPeer.call("signin.resolve", SignInCall("apple", subject).json, id: "\(number)"))
          default:
            var call = SignInCall("apple", subject)
            call.more = [Self.hold, #""nickname":"n\#(number)""#]
            peer.send(TestPeer.call("signin.resolve", call.json, id: "\(number)"))
          }
        }
        var answers: [WireAnswer] = []
        for peer in peers { answers.append(try await peer.answer()) }
        #expect(answers.allSatisfy { $0.reason == nil }, "\(answers.first { $0.reason != nil }?.text ?? "")")
        #expect(Set(answers.compactMap(\.userID)).count == 1)
        let final = try await peers[0].signIn("apple", subject, nil, #""include":["profile"]"#)
        #expect(final.result?["user"]?["profile"]?["name"]?["family"]?.string == "Canary")
      }
      #expect(try await database.count("select count(*)::text from kith.users") == 5)
      #expect(try await database.count("select count(*)::text from kith.registrations where user_id is null") == 0)
      try await database.expectConsistency()
    }
  }

  @Test func `a kept answer that tells details is kept sealed, and comes back byte for byte`() async throws {
    try await TestService.with(count: 2) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let key = #""request_key":"k1""#
      let first = try await peer.signIn("apple", "mira", Self.address, verified: true, Self.name, Self.hold, key)
      #expect(first.outcome == "registration_held")
      let other = try services[1].connect()
      defer { other.close() }
      let again = try await other.signIn("apple", "mira", Self.address, verified: true, Self.name, Self.hold, key)
      #expect(again.text.replacing(#""id":1"#, with: "") == first.text.replacing(#""id":1"#, with: ""))
      #expect(try await database.count("select count(*)::text from kith.request_keys where sealed is not null") == 1)
      // Of what she said nothing stands in the database but which provider's id she has.
      let everything = try await database.texts(
        """
        select r::text from kith.registrations r union all select k::text from kith.request_keys k
        union all select e::text from kith.events e
        """)
      #expect(everything.allSatisfy { !$0.contains("Canary") && !$0.contains("mira@example.org") })
    }
  }

  @Test func `registrations are listed from the oldest, by page and by address, within the caller's namespaces`()
    async throws
  {
    var settings = TestService.Settings()
    settings.callers = [
      TestService.caller("app", more: #", socket: "app""#),
      TestService.caller("linkedin-only", more: #", socket: "admin", namespaces: ["linkedin:*"]"#),
    ]
    try await TestService.with(settings) { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      var held: [String] = []
      for number in 0..<5 { held.append(try await hold(peer, "s\(number)")) }
      func ids(_ answer: WireAnswer) -> [String] {
        (answer.result?["items"]?.elements ?? []).compactMap { $0["id"]?.string }
      }
      let first = try await peer.call("registration.list", #"{"limit":2}"#)
      #expect(ids(first) == Array(held[..<2]))
      let next = try #require(first.result?["next"]?.string)
      #expect(ids(try await peer.call("registration.list", #"{"after":"\#(next)"}"#)) == Array(held[2...]))
      #expect(ids(try await peer.call("registration.list", #"{"email":"S3@Example.org"}"#)) == [held[3]])
      #expect(ids(try await peer.call("registration.list", #"{"email":"nobody@example.org"}"#)).isEmpty)
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      #expect(ids(try await admin.call("registration.list")).isEmpty)
      for method in ["registration.get", "registration.complete"] {
        #expect(try await admin.call(method, #"{"registration_id":"\#(held[0])"}"#).reason == "not_found")
      }
    }
  }

  @Test func `nobody is told under an address that is not in their details`() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var settings = TestService.Settings()
    settings.journalDescriptor = ends[1]
    var ids: [String] = []
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      ids = [try await hold(peer), try await hold(peer, "noor"), try await hold(peer, "ron")]
      // Somebody has the addresses of two of them exchanged, and lets the third be found by one of these as well.
      try await database.script(
        """
        update kith.registrations r set email_index = o.email_index from kith.registrations o
        where (r.subject, o.subject) in (('mira', 'noor'), ('noor', 'mira'), ('ron', 'mira'))
        """, as: .superuser)
      for email in ["mira@example.org", "noor@example.org", "ron@example.org"] {
        #expect(
          try await peer.call("registration.list", #"{"email":"\#(email)"}"#).result?["items"]?.elements.isEmpty == true
        )
      }
      #expect(try await peer.call("registration.list").result?["items"]?.elements.count == ids.count)
    }
    close(ends[1])
    var journal: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(ends[0], &chunk, chunk.count), count > 0 { journal += chunk[..<count] }
    let text = String(decoding: journal, as: UTF8.self)
    for id in ids {
      #expect(text.contains("sealed_record_invalid: what registration \(id) is found by"), "\(text)")
    }
    #expect(!text.contains("@example.org"))
  }

  @Test func `what has expired is gone at once, and who comes again begins anew`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let old = try await hold(peer)
      let completed = try await hold(peer, "noor")
      let noor = try await complete(peer, completed).userID
      for subject in ["auto", "never", "linked"] { _ = try await hold(peer, subject) }
      let owner = try await peer.signIn("linkedin", "owner", "linked@example.org", verified: true)
      try await database.script(
        """
        update kith.registrations set held_at = now() - interval '2 days', said_at = now() - interval '2 days',
          email_said_at = null, expires_at = now() - interval '1 second'
        """, as: .superuser)
      let named = #"{"registration_id":"\#(old)"}"#
      #expect(try await peer.call("registration.get", named).reason == "not_found")
      #expect(try await peer.call("registration.complete", named).reason == "not_found")
      #expect(try await peer.call("registration.discard", named).reason == "not_found")
      let fail = #"{"registration_id":"\#(old)","reason":"r"}"#
      #expect(try await peer.call("registration.fail", fail).reason == "not_found")
      for params in ["{}", #"{"email":"mira@example.org"}"#] {
        #expect(try await peer.call("registration.list", params).result?["items"]?.elements.isEmpty == true)
      }
      // Who became a user stays so for ever.
      #expect(try await complete(peer, completed).userID == noor)
      let again = try await peer.signIn("apple", "mira", nil, Self.hold, #""nickname":"mi""#)
      let held = again.result?["registration"]
      #expect(again.outcome == "registration_held" && again.result?["resumed"] == nil, "\(again.text)")
      #expect(held?["id"]?.string != old && held?["details"]?["name"] == nil && held?["details"]?["email"] == nil)
      #expect(held?["details"]?["nickname"]?.string == "mi")
      let auto = try await peer.signIn("apple", "auto", nil, #""include":["profile","emails"]"#)
      #expect(auto.outcome == "registered" && auto.result?["resumed"] == nil, "\(auto.text)")
      #expect(auto.result?["user"]?["emails"]?.elements.isEmpty == true)
      #expect(try await peer.signIn("apple", "never", nil, #""register":"never""#).outcome == "not_found")
      let linked = try await peer.signIn("apple", "linked", "linked@example.org", verified: true)
      #expect(linked.outcome == "linked" && linked.userID == owner.userID && linked.result?["resumed"] == nil)
      let told = try await database.texts(
        "select e.data->>'registration_id' from kith.events e where e.type = 'registration.expired' order by e.seq")
      #expect(told.count == 3 && told.first == old)
      try await database.expectConsistency()
    }
  }

  @Test func `only a failure that the app tells counts, and the next sign-in goes on`() async throws {
    try await TestService.withPeer { _, peer in
      let registration = try await hold(peer)
      let params = #"{"registration_id":"\#(registration)","reason":"the mail server was down"}"#
      for count in 1...3 {
        #expect(try await peer.call("registration.fail", params).result?["attempts"]?.integer == count)
      }
      let again = try await peer.signIn("apple", "mira", nil, Self.hold)
      #expect(again.result?["registration"]?["attempts"]?.integer == 3)
      #expect(again.result?["registration"]?["last_reason"]?.string == "the mail server was down")
      let keyed = params.dropLast() + #","request_key":"once"}"#
      let first = try await peer.call("registration.fail", String(keyed))
      let second = try await peer.call("registration.fail", String(keyed))
      #expect(first.result == second.result && first.result?["attempts"]?.integer == 4)
      #expect(try await complete(peer, registration).outcome == "registered")
      #expect(try await peer.call("registration.fail", params).reason == "not_found")
    }
  }

  @Test func `discarded, nothing is left but who did it and why`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let registration = try await hold(peer)
      let params = #"{"registration_id":"\#(registration)","reason":"a test account"}"#
      #expect(try await peer.call("registration.discard", params).result?["discarded"]?.bool == true)
      #expect(try await peer.call("registration.discard", params).reason == "not_found")
      #expect(try await complete(peer, registration).reason == "not_found")
      #expect(try await database.count("select count(*)::text from kith.registrations") == 0)
      let audit = try await database.texts(
        "select action || ' ' || reason || ' ' || (data->>'registration_id') from kith.audit")
      #expect(audit == ["registration.discard a test account \(registration)"])
      let again = try await peer.signIn("apple", "mira", nil, Self.hold)
      #expect(again.result?["resumed"] == nil && again.result?["registration"]?["details"]?["name"] == nil)
    }
  }

  @Test func `a registration of somebody who came to be known otherwise is completed as them`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let user = try #require(try await peer.signIn("linkedin", "li", "li@example.org", verified: true).userID)
      let registration = try await hold(peer)
      // As if by hand.
      try await database.script(
        """
        insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
        select n.id, 'mira', '\(user)', gen_random_uuid(), now(), 'import' from kith.namespaces n
        where n.provider = 'apple'
        """, as: .superuser)
      let answer = try await complete(peer, registration)
      #expect(answer.outcome == "signed_in" && answer.userID == user, "\(answer.text)")
      #expect(try await complete(peer, registration).userID == user)
      #expect(try await peer.call("registration.list").result?["items"]?.elements.isEmpty == true)
      #expect(try await peer.emails(of: user) == ["li@example.org": true])
    }
  }
}
