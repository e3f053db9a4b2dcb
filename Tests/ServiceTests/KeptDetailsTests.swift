import FoundationEssentials
import TestSupport
import Testing

/// What sign-ins bring while there is no database is kept, sealed, and is there when it is back.
struct KeptDetailsTests {
  private static let name = #""name":{"given":"Mira","family":"Canary"}"#

  /// Lends a service that reaches its database through a pooler, which can be taken away.
  private static func with(
    _ body: (TestService, TestDatabase, TestPooler) async throws -> Void
  ) async throws {
    var settings = TestService.Settings()
    settings.databasePooler = .transaction
    settings.defaults = "{ hold_days: 1 }"
    try await TestDatabase.with { database in
      try await TestPooler.with(database) { pooler in
        let service = try await TestService.start(conninfo: pooler.conninfo(), settings)
        do {
          try await body(service, database, pooler)
          await service.stop()
        } catch {
          await service.stop()
          throw error
        }
      }
    }
  }

  private func kept(_ answer: WireAnswer) -> Bool? { answer.error?["data"]?["kept"]?.bool }

  private func spooled(_ peer: TestPeer) async throws -> Int {
    try await peer.call("server.status").result?["spool"]?["entries"]?.integer ?? -1
  }

  /// Returns once the spool is empty.
  private func delivered(_ peer: TestPeer) async throws {
    while try await spooled(peer) > 0 {}
  }

  @Test func `what somebody is told is held is not in the spool any more, so what they drop stays dropped`()
    async throws
  {
    try await TestService.with { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      #expect(try await peer.signIn("apple", "owner", "mira@example.org", verified: true).outcome == "registered")
      let spool = services[0].folder + "/spool"
      for number in 0..<100 {
        let held = try await peer.signIn("apple", "held.\(number)", nil, Self.name, #""register":"hold""#)
        let left = try FileManager.default.contentsOfDirectory(atPath: spool).filter { $0.hasSuffix(".entries") }
        #expect(held.outcome == "registration_held" && left.isEmpty, "\(held.text) \(left)")
        let asked = try await peer.signIn("apple", "asked.\(number)", "mira@example.org", verified: false, Self.name)
        let still = try FileManager.default.contentsOfDirectory(atPath: spool).filter { $0.hasSuffix(".entries") }
        #expect(asked.outcome == "link_required" && still.isEmpty, "\(asked.text) \(still)")
      }
    }
  }

  @Test func `details that come while the database is away are kept, and the next sign-in has them`() async throws {
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      #expect(try await peer.signIn("apple", "known", "known@example.org", verified: true).outcome == "registered")
      try await pooler.kill()
      let refused = try await peer.signIn("apple", "mira", "mira@example.org", verified: true, Self.name)
      #expect(refused.reason == "database_unavailable" && kept(refused) == true, "\(refused.text)")
      // Nothing that could be lost, and nothing that may be kept.
      #expect(kept(try await peer.signIn("apple", "mira")) == false)
      #expect(
        kept(try await peer.signIn("apple", "m2", "m2@example.org", verified: true, #""register":"never""#)) == false)
      #expect(kept(try await peer.call("user.get", #"{"email":"mira@example.org"}"#)) == nil)
      // The same again takes no more room.
      for _ in 0..<10 {
        #expect(kept(try await peer.signIn("apple", "mira", "mira@example.org", verified: true, Self.name)) == true)
      }
      #expect(try await spooled(peer) == 1)
      #expect(
        kept(try await peer.signIn("linkedin", "held", "held@example.org", verified: true, #""register":"hold""#))
          == true)
      try await pooler.start()
      try await delivered(peer)
      let mira = try await peer.signIn("apple", "mira", nil, #""include":["profile","emails"]"#)
      #expect(mira.outcome == "registered" && mira.result?["resumed"]?.bool == true, "\(mira.text)")
      #expect(mira.result?["user"]?["profile"]?["name"]?["family"]?.string == "Canary")
      #expect(mira.result?["user"]?["emails"]?[0]?["verified"]?.bool == true)
      #expect(try await peer.call("registration.list").result?["items"]?.elements.count == 1)
      try await database.expectConsistency()
    }
  }

  @Test func `details of somebody who became a user meanwhile fill the gaps of their profile`() async throws {
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      try await pooler.kill()
      for (subject, more) in [("mira", Self.name), ("mira", #""nickname":"mi""#), ("noor", Self.name)] {
        #expect(kept(try await peer.signIn("apple", subject, nil, more)) == true)
      }
      // Another daemon, which reaches the database, knows nothing of that.
      let other = try await TestService.start(on: database)
      do {
        let quicker = try other.connect()
        defer { quicker.close() }
        let first = try await quicker.signIn("apple", "mira", nil, #""nickname":"quick""#)
        #expect(first.outcome == "registered")
        try await pooler.start()
        try await delivered(peer)
        let known = try await peer.signIn("apple", "mira", nil, #""include":["profile"]"#)
        #expect(known.userID == first.userID)
        #expect(known.result?["user"]?["profile"]?["name"]?["given"]?.string == "Mira")
        #expect(known.result?["user"]?["profile"]?["nickname"]?.string == "quick")
        #expect(try await database.count("select count(*)::text from kith.registrations") == 1)
        await other.stop()
      } catch {
        await other.stop()
        throw error
      }
    }
  }

  @Test func `an address of somebody who became a user meanwhile is theirs as if they signed in with it`() async throws
  {
    try await Self.with { service, database, pooler in
      let away = try service.connect()
      defer { away.close() }
      let other = try await TestService.start(on: database)
      do {
        let there = try other.connect()
        defer { there.close() }
        let claimant = try await there.signIn("naver", "claimant", "mira@example.org")
        let holder = try await there.signIn("linkedin", "holder", "held@example.org", verified: true)
        try await pooler.kill()
        let said: [(String, String, String, Bool)] = [
          ("apple", "mira", "mira@example.org", true), ("naver", "untrusted", "untrusted@example.org", true),
          ("apple", "second", "held@example.org", true), ("apple", "changed", "old@example.org", true),
          ("apple", "changed", "new@example.org", true), ("apple", "changed", "new@example.org", false),
          ("apple", "has", "late@example.org", true), ("apple", "disabled", "off@example.org", true),
        ]
        for (provider, subject, email, isVerified) in said {
          #expect(kept(try await away.signIn(provider, subject, email, verified: isVerified, Self.name)) == true)
        }
        var users: [String: String] = [:]
        for (provider, subject, _, _) in said where users[subject] == nil {
          let has = subject == "has" ? "has@example.org" : nil
          users[subject] = try await there.signIn(provider, subject, has, verified: has.map { _ in true }).userID
        }
        _ = try await there.call("user.disable", #"{"id":"\#(users["disabled"] ?? "")","reason":"r"}"#)
        try await database.script("create table public.told as select max(seq) as seq from kith.events", as: .superuser)
        try await pooler.start()
        try await delivered(away)
        #expect(try await there.emails(of: users["mira"]) == ["mira@example.org": true])
        #expect(try await there.emails(of: users["untrusted"]) == ["untrusted@example.org": false])
        #expect(try await there.emails(of: users["second"]) == ["held@example.org": false])
        #expect(try await there.emails(of: holder.userID) == ["held@example.org": true])
        // What was said last of what is kept, although each was in a file of its own.
        #expect(try await there.emails(of: users["changed"]) == ["old@example.org": false, "new@example.org": false])
        #expect(try await there.emails(of: users["has"]) == ["has@example.org": true])
        #expect(try await there.emails(of: users["disabled"]).isEmpty)
        #expect(try await there.emails(of: claimant.userID).isEmpty)
        let events = try await database.texts(
          """
          select type || ' ' || count(*) || ' ' || count(e.caller) from kith.events e, public.told t
          where e.seq > t.seq group by type order by type
          """)
        #expect(
          events == [
            "email.claim_dropped 1 1", "email.unverified 2 2", "email.verified 3 3", "identity.email_changed 5 5",
            "user.updated 6 0",
          ])
        try await database.expectConsistency()
        // From then on it is an address like any other, and who is said to be somebody else's stays theirs.
        let linked = try await there.signIn("linkedin", "mira", "mira@example.org", verified: true)
        #expect(linked.outcome == "linked" && linked.userID == users["mira"])
        await other.stop()
      } catch {
        await other.stop()
        throw error
      }
    }
  }

  // MARK: What was said last

  /// What is held of an Apple subject: the address with whether it is verified, or the choice of `link`.
  private func held(_ subject: String, _ peer: TestPeer, _ database: TestDatabase) async throws -> String? {
    let items = try await peer.call("registration.list").result?["items"]?.elements ?? []
    let details = items.first { $0["subject"]?.string == subject }?["details"]
    let links = try await database.texts("select subject || ' ' || link from kith.registrations")
    let link = links.first { $0.hasPrefix(subject + " ") }?.dropFirst(subject.count + 1)
    return details?["email"]?.string.map {
      "\($0.prefix { $0 != "@" }) \(details?["email_verified"]?.bool ?? false) \(link ?? "")"
    }
  }

  /// Says something of a subject: the local part of the address, whether it is verified, the choice of `link`.
  private func say(_ said: (String, Bool, String), of subject: String, to peer: TestPeer) async throws -> WireAnswer {
    try await peer.signIn(
      "apple", subject, "\(said.0)@example.org", verified: said.1, #""register":"hold""#, #""link":"\#(said.2)""#)
  }

  @Test func `what was said last is held, whatever was said before it while the database was away`() async throws {
    let sequences: [[(String, Bool, String)]] = [
      [("a", false, "never"), ("a", true, "never"), ("a", false, "never")],
      [("a", true, "never"), ("b", true, "never"), ("a", true, "never"), ("a", true, "never")],
      [("a", true, "never"), ("a", true, "verified_email"), ("a", true, "never")],
      [("a", false, "never"), ("b", true, "verified_email"), ("b", false, "never"), ("a", false, "never")],
    ]
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      for number in [1, 3] { _ = try await say(("c", true, "verified_email"), of: "s\(number)", to: peer) }
      try await pooler.kill()
      for (number, sequence) in sequences.enumerated() {
        for said in sequence {
          #expect(kept(try await say(said, of: "s\(number)", to: peer)) == true)
        }
      }
      try await pooler.start()
      try await delivered(peer)
      for (number, sequence) in sequences.enumerated() {
        let last = try #require(sequence.last)
        #expect(try await held("s\(number)", peer, database) == "\(last.0) \(last.1) \(last.2)", "s\(number)")
      }
    }
  }

  @Test func `of what several daemons hear, what was said last is held, however long each holds it`() async throws {
    try await Self.with { service, database, pooler in
      var settings = TestService.Settings()
      settings.defaults = "{ hold_days: 60 }"
      let other = try await TestService.start(on: database, settings)
      do {
        let (away, there) = (try service.connect(), try other.connect())
        defer {
          away.close()
          there.close()
        }
        let (old, new) = (("old", true, "verified_email"), ("new", false, "never"))
        // Said first where it is held longest.
        for subject in ["later", "between", "again", "name"] { _ = try await say(old, of: subject, to: there) }
        try await pooler.kill()
        for subject in ["later", "before", "between", "again", "name"] {
          #expect(kept(try await say(new, of: subject, to: away)) == true)
        }
        // A repeat says nothing new, and yet it was said last; but who says no address says nothing of it.
        for subject in ["before", "between", "again"] { _ = try await say(old, of: subject, to: there) }
        _ = try await there.signIn("apple", "name", nil, #""nickname":"n""#, #""register":"hold""#, #""link":"never""#)
        #expect(kept(try await say(new, of: "again", to: away)) == true)
        try await pooler.start()
        try await delivered(away)
        for subject in ["later", "again", "name"] {
          #expect(try await held(subject, there, database) == "new false never", "\(subject)")
        }
        for subject in ["before", "between"] {
          #expect(try await held(subject, there, database) == "old true verified_email", "\(subject)")
        }
        let soon = try await database.texts(
          "select subject from kith.registrations where expires_at < now() + interval '2 days' order by subject")
        #expect(soon == ["again", "later"])
        await other.stop()
      } catch {
        await other.stop()
        throw error
      }
    }
  }

  @Test func `what is kept is held anew where what was held has expired`() async throws {
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      let old = try await peer.signIn("apple", "mira", nil, Self.name, #""register":"hold""#)
      try await pooler.kill()
      #expect(kept(try await peer.signIn("apple", "mira", nil, #""nickname":"mi""#)) == true)
      try await database.script(
        """
        update kith.registrations set held_at = now() - interval '2 days', said_at = now() - interval '2 days',
          expires_at = now() - interval '1 second'
        """, as: .superuser)
      try await pooler.start()
      try await delivered(peer)
      let items = try await peer.call("registration.list").result?["items"]?.elements ?? []
      #expect(items.count == 1 && items.first?["id"] != old.result?["registration"]?["id"])
      #expect(items.first?["details"]?["nickname"]?.string == "mi" && items.first?["details"]?["name"] == nil)
      #expect(
        try await database.texts("select type from kith.events order by seq")
          == ["registration.held", "registration.expired", "registration.held"])
    }
  }

  // MARK: Who waits

  @Test func `who comes again before their details are delivered is asked to wait and not taken for somebody else`()
    async throws
  {
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      let address = "mira@example.org"
      let mira = try await peer.signIn("linkedin", "mira", address, verified: true)
      try await pooler.kill()
      for call in [("linkedin", "mira"), ("apple", "mira")] {
        #expect(kept(try await peer.signIn(call.0, call.1, address, verified: true, Self.name)) == true)
      }
      // What is kept of her first identity cannot be delivered, and so nothing after it.
      try await database.holding("select from kith.users for update") {
        try await pooler.start()
        var known = try await peer.signIn("linkedin", "mira")
        while known.reason == "database_unavailable" { known = try await peer.signIn("linkedin", "mira") }
        #expect(known.userID == mira.userID, "\(known.text)")
        #expect(try await peer.signIn("apple", "other").outcome == "registered")
        let early = try await peer.signIn("apple", "mira")
        #expect(early.reason == "database_unavailable" && kept(early) == false, "\(early.text)")
      }
      try await delivered(peer)
      let linked = try await peer.signIn("apple", "mira")
      #expect(linked.outcome == "linked" && linked.userID == mira.userID, "\(linked.text)")
      try await database.expectConsistency()
    }
  }

  @Test func `what cannot be delivered keeps back neither what comes after it nor anybody new`() async throws {
    try await Self.with { service, database, pooler in
      let peer = try service.connect()
      defer { peer.close() }
      let bad = try await peer.signIn("apple", "bad", nil, Self.name, #""register":"hold""#)
      #expect(bad.outcome == "registration_held")
      try await database.script(
        "update kith.registrations set sealed = overlay(sealed placing '\\x0000000000000000' from 60)")
      try await pooler.kill()
      for subject in ["bad", "mira"] {
        #expect(kept(try await peer.signIn("apple", subject, "\(subject)@example.org", verified: true)) == true)
      }
      try await pooler.start()
      try await delivered(peer)
      #expect(try await peer.signIn("apple", "mira", nil, #""include":["emails"]"#).result?["resumed"]?.bool == true)
      #expect(try await peer.signIn("apple", "noor").outcome == "registered")
      // For somebody to look after.
      let spool = try await peer.call("server.status").result?["spool"]
      #expect(spool?["files_set_aside"]?.integer == 1)
    }
  }

  @Test func `many who come at once while the database is away are each there once`() async throws {
    try await Self.with { service, database, pooler in
      let peers = try (0..<32).map { _ in try service.connect() }
      defer { for peer in peers { peer.close() } }
      try await pooler.kill()
      for round in 0..<8 {
        for (number, peer) in peers.enumerated() {
          var call = SignInCall("apple", "s\(number)-\(round)", "s\(number)-\(round)@example.org", verified: true)
          call.more = [Self.name, #""register":"\#(number % 2 == 0 ? "hold" : "auto")""#]
          peer.send(TestPeer.call("signin.resolve", call.json, id: "\(round)"))
        }
      }
      for peer in peers {
        for answer in try await peer.answers(8) { #expect(kept(answer) == true, "\(answer.text)") }
      }
      try await pooler.start()
      try await delivered(peers[0])
      #expect(try await database.count("select count(*)::text from kith.registrations") == 256)
      #expect(
        try await database.count("select count(*)::text from kith.events where type = 'registration.held'") == 256)
    }
  }

  @Test func `an ordinary first sign-in leaves nothing in the spool`() async throws {
    try await Self.with { service, _, _ in
      let peer = try service.connect()
      defer { peer.close() }
      for number in 0..<20 {
        let answer = try await peer.signIn("apple", "s\(number)", "s\(number)@example.org", verified: true, Self.name)
        #expect(answer.outcome == "registered")
      }
      // A file is removed after its answer, so the last may still be there until the daemon has come to it.
      let folder = service.folder + "/spool"
      while try FileManager.default.contentsOfDirectory(atPath: folder).contains(where: { $0.hasSuffix(".entries") }) {
        _ = try await peer.call("system.ping")
      }
    }
  }

  @Test func `a daemon that never reached its database keeps nothing and says so`() async throws {
    let service = try await TestService.startWithoutDatabase()
    let peer = try service.connect()
    let answer = try await peer.signIn("apple", "mira", "mira@example.org", verified: true, Self.name)
    #expect(answer.reason == "database_unavailable" && kept(answer) == false)
    let keyed = try await peer.signIn("apple", "mira", nil, Self.name, #""request_key":"k""#)
    #expect(keyed.reason == "database_unavailable" && kept(keyed) == false)
    #expect(try await peer.signIn("nobody", "mira").reason == "namespace_unknown")
    peer.close()
    await service.stop()
  }
}
