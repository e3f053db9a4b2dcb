import TestSupport
import Testing

/// Forgetting people, over the socket.
struct ErasingTests {
  private static let why = #""reason":"asked for it""#

  private static func settings(threads: Int = 1) -> TestService.Settings {
    var settings = TestService.Settings(
      callers: [TestService.caller(more: #", may_authenticate: true, access_groups: ["*"]"#)])
    settings.threads = threads
    return settings
  }

  private func withPeer(_ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    try await TestService.with(Self.settings()) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
      try await database.expectConsistency()
    }
  }

  private func erase(_ user: String?, _ more: String = "", on peer: TestPeer) async throws -> WireAnswer {
    try await peer.call("user.erase", #"{"id":"\#(user ?? "")",\#(Self.why)\#(more)}"#)
  }

  private func merge(_ first: String?, _ second: String?, on peer: TestPeer) async throws -> WireAnswer {
    let plan = try await peer.call("merge.plan", #"{"users":["\#(first ?? "")","\#(second ?? "")"]}"#)
    return try await peer.call(
      "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(Self.why)}"#)
  }

  /// The rows of every table, as text.
  private static let dump: StaticString = """
    select query_to_xml(format('select * from kith.%I', c.relname), true, false, '')::text from pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relkind = 'r'
    """

  // MARK: One person

  @Test func `an erased user is a mark, and who comes again is somebody new`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", "mira@example.org", verified: true, #""nickname":"mi""#)
      let erased = try await erase(mira.userID, on: peer)
      #expect(erased.userID == mira.userID && erased.result?["user"]?["status"]?.string == "erased")
      #expect(erased.result?["user"]?["created_at"] == mira.result?["user"]?["created_at"])
      #expect(erased.result?["former_ids"]?.elements.isEmpty == true && erased.result?["request_id"] != nil)
      let again = try await erase(mira.userID, on: peer)
      #expect(again.result?["user"] == erased.result?["user"])
      #expect(again.result?["former_ids"] == erased.result?["former_ids"])

      for (method, params) in [
        ("user.get", ""), ("user.update", #","profile":{"nickname":"x"}"#), ("user.disable", ",\(Self.why)"),
        ("user.enable", ",\(Self.why)"),
      ] {
        let refused = try await peer.call(method, #"{"id":"\#(mira.userID ?? "")"\#(params)}"#)
        #expect(refused.reason == "user_erased" && refused.code == 1000, "\(method)")
      }
      #expect(try await peer.call("user.get", #"{"email":"mira@example.org"}"#).reason == "not_found")
      let came = try await peer.signIn("apple", "mira", "mira@example.org", verified: true, #""include":["profile"]"#)
      #expect(came.outcome == "registered" && came.userID != mira.userID)
      #expect(came.result?["user"]?["profile"]?["nickname"] == nil)
      #expect(
        try await database.texts("select type || ' ' || data::text from kith.events where type <> 'user.registered'")
          == [
            #"user.erased {"former_ids":[]}"#
          ])
      #expect(
        try await database.texts("select concat_ws(' ', action, user_id, reason, data) from kith.audit") == [
          "user.erase \(mira.userID ?? "") asked for it {}"
        ])
      #expect(try await database.count("select epoch::text from kith.users where status = 'erased'") == 1)
    }
  }

  @Test func `what cannot be is refused by its reason`() async throws {
    try await withPeer { peer, _ in
      let nobody = "01920000-0000-7000-8000-000000000000"
      #expect(try await erase(nobody, on: peer).reason == "not_found")
      let without = try await peer.call("user.erase", #"{"id":"\#(nobody)"}"#)
      #expect(without.reason == "invalid_params" && without.path == "params.reason")
    }
  }

  @Test func `a disabled user can be erased, and a repeat under a request key gets the same bytes`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira").userID
      _ = try await peer.call("user.disable", #"{"id":"\#(mira ?? "")","reason":"Mira was rude"}"#)
      let first = try await erase(mira, #","request_key":"k""#, on: peer)
      #expect(first.result?["user"]?["status"]?.string == "erased")
      #expect(try await erase(mira, #","request_key":"k""#, on: peer).result == first.result)
    }
  }

  @Test func `by any id of a family all of it is erased, and each answers the same`() async throws {
    try await withPeer { peer, database in
      var users: [String?] = []
      for number in 0..<4 { users.append(try await peer.signIn("apple", "s\(number)").userID) }
      for number in 1..<4 { #expect(try await merge(users[0], users[number], on: peer).reason == nil) }
      var answers: [WireAnswer] = []
      for user in [users[2], users[0], users[3]] { answers.append(try await erase(user, on: peer)) }
      for answer in answers {
        #expect(answer.userID == users[0])
        #expect(answer.result?["former_ids"]?.elements.map(\.string) == Array(users[1...]))
      }
      for user in users {
        #expect(try await peer.call("user.get", #"{"id":"\#(user ?? "")"}"#).reason == "user_erased")
      }
      #expect(try await database.count("select count(*)::text from kith.events where type = 'user.erased'") == 1)
      let merges = try await peer.call("merge.list", "{}")
      let undo = try await peer.call(
        "merge.undo", #"{"merge_id":"\#(merges.result?["items"]?[0]?["merge_id"]?.string ?? "")",\#(Self.why)}"#)
      #expect(undo.reason == "user_erased")
    }
  }

  @Test func `who was parted again before is left alone`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      let noor = try await peer.signIn("linkedin", "noor", "noor@example.org", verified: true)
      let merged = try await merge(mira.userID, noor.userID, on: peer)
      _ = try await peer.call(
        "merge.undo", #"{"merge_id":"\#(merged.result?["merge_id"]?.string ?? "")",\#(Self.why)}"#)
      let erased = try await erase(mira.userID, on: peer)
      #expect(erased.result?["former_ids"]?.elements.isEmpty == true)
      #expect(try await peer.signIn("linkedin", "noor").userID == noor.userID)
      #expect(try await peer.emails(of: noor.userID) == ["noor@example.org": true])
      #expect(try await database.count("select count(*)::text from kith.merged_emails") == 0)
    }
  }

  // MARK: Nothing stays

  @Test func `of an erased person nothing is left in any table, and what is others' stays`() async throws {
    try await withPeer { peer, database in
      var (life, other) = (CanaryLife(mark: "canarya"), CanaryLife(mark: "canaryb"))
      let neighbour = try await other.live(on: peer)
      let user = try await life.live(on: peer)
      // Whoever asked by an address of theirs is somebody else, whose details wait for them as long as any.
      let stranger = try await peer.signIn("naver", "canary-stranger", "canarya-3@example.org", #""nickname":"s""#)
      #expect(stranger.outcome == "link_required", "\(stranger.text)")
      #expect(try await database.texts(Self.dump).joined().contains("canarya-"))

      #expect(try await erase(user, on: peer).reason == nil)
      let after = try await database.texts(Self.dump).joined()
      let left = life.said.filter { after.contains($0) }
      #expect(!after.contains("canarya"), "\(left)")
      #expect(
        try await database.texts("select subject from kith.registrations where user_id is null") == ["canary-stranger"])
      #expect(
        try await database.count("select count(*)::text from kith.challenges where subject = 'canary-stranger'") == 0)
      let untouched = try await peer.call("user.get", #"{"id":"\#(neighbour)","include":["identities"]}"#)
      #expect(untouched.result?["user"]?["identities"]?.elements.count == 5)
      let credentials = try await peer.call("credential.list", #"{"access_group":"web"}"#).result?["items"]?.elements
      #expect(credentials?.count == 6 && credentials?.allSatisfy { $0["user_id"]?.string == neighbour } == true)
      let history = try await peer.call(
        "credential.history",
        #"{"access_group":"web","account":"canaryb-account2-\#(neighbour.suffix(12))","service":"canaryb-service-\#(neighbour.suffix(12))"}"#
      )
      #expect(history.result?["items"]?.elements.count == 2)
    }
  }

  @Test func `the history of a credential that is nobody's any more does not tell whose it was`() async throws {
    try await withPeer { peer, database in
      let mira = try #require(try await peer.signIn("apple", "mira").userID)
      let place = #""access_group":"web","account":"shared","service":"mail""#
      let put = try await peer.call("credential.put", #"{\#(place),"secret":"AA==","user_id":"\#(mira)"}"#)
      let cleared = try await peer.call("credential.update", #"{\#(place),"clear":["user_id"]}"#)
      #expect(put.reason == nil && cleared.reason == nil, "\(put.text) \(cleared.text)")
      #expect(try await erase(mira, on: peer).reason == nil)
      let history = try await peer.call("credential.history", "{\(place)}")
      #expect(history.result?["items"]?.elements.count == 2, "\(history.text)")
      #expect(
        try await database.texts("select distinct coalesce(user_id::text, 'nobody') from kith.credential_history")
          == ["nobody"])
      #expect(try await peer.call("credential.get", "{\(place)}").reason == nil)
    }
  }

  /// What was answered when somebody was held tells of nobody's user, and the identity was theirs once.
  @Test func `an answer about an identity that was taken off before goes, and what tells of its next user stays`()
    async throws
  {
    try await withPeer { peer, database in
      let held = try await peer.signIn(
        "apple", "first", nil, #""nickname":"canary""#, #""register":"hold""#, #""request_key":"held""#)
      let id = held.result?["registration"]?["id"]?.string ?? ""
      let mira = try await peer.call("registration.complete", #"{"registration_id":"\#(id)"}"#)
      _ = try await peer.link(SignInCall("linkedin", "second"), to: mira.userID)
      #expect(try await peer.unlink(mira.identityID, from: mira.userID).reason == nil)
      let noor = try await peer.signIn("apple", "first", nil, #""link":"never","request_key":"next""#)
      #expect(noor.outcome == "registered" && noor.userID != mira.userID)
      #expect(try await erase(mira.userID, on: peer).reason == nil)
      #expect(try await database.texts("select key from kith.request_keys") == ["next"])
      let again = try await peer.signIn("apple", "first", nil, #""link":"never","request_key":"next""#)
      #expect(again.result == noor.result)
    }
  }

  @Test func `no challenge, token, registration or kept answer of an erased person is of any use`() async throws {
    try await withPeer { peer, _ in
      let mira = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      let noor = try await peer.signIn("linkedin", "noor", "noor@example.org", verified: true, #""request_key":"k""#)
      var challenges: [String?] = []
      for address in ["mira@example.org", "noor@example.org"] {
        challenges.append(try await peer.signIn("naver", "nv-\(address)", address).challengeID)
      }
      var tokens: [String] = []
      for (user, address) in [(mira.userID, "mira-2@example.org"), (noor.userID, "noor-2@example.org")] {
        tokens.append(try await peer.email("add", address, of: user).result?["token"]?.string ?? "")
      }
      let held = try await peer.signIn("apple", "third", nil, #""register":"hold""#).result?["registration"]?["id"]?
        .string
      let third = try await peer.call("registration.complete", #"{"registration_id":"\#(held ?? "")"}"#).userID
      for user in [noor.userID, third] { #expect(try await merge(mira.userID, user, on: peer).reason == nil) }
      let plan = try await peer.call(
        "merge.plan",
        #"{"users":["\#(mira.userID ?? "")","\#(try await peer.signIn("naver", "fourth").userID ?? "")"]}"#)
      _ = try await erase(noor.userID, on: peer)

      for challenge in challenges {
        for user in [mira.userID, noor.userID] {
          #expect(try await peer.confirm(challenge, Proof.word(user)).reason == "not_found")
        }
      }
      for (token, address) in zip(tokens, ["mira-2@example.org", "noor-2@example.org"]) {
        for user in [mira.userID, noor.userID] {
          let refused = try await peer.email("verify", address, of: user, #","token":"\#(token)""#)
          #expect(refused.reason == "user_erased")
        }
      }
      let completed = try await peer.call("registration.complete", #"{"registration_id":"\#(held ?? "")"}"#)
      #expect(completed.reason == "not_found")
      let run = try await peer.call(
        "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(Self.why)}"#)
      #expect(run.reason == "plan_stale")
      let repeated = try await peer.signIn(
        "linkedin", "noor", "noor@example.org", verified: true, #""request_key":"k""#)
      #expect(repeated.outcome == "registered" && repeated.userID != noor.userID)
    }
  }

  @Test func `a merge of erased people is not undone, whichever of them it was`() async throws {
    try await withPeer { peer, _ in
      var users: [String?] = []
      for number in 0..<4 {
        users.append(try await peer.signIn("apple", "s\(number)", "s\(number)@example.org", verified: true).userID)
      }
      // 1 into 0 and 3 into 2, and then all into 0.
      var merges: [String?] = []
      for (one, other) in [(0, 1), (2, 3), (0, 2)] {
        merges.append(try await merge(users[one], users[other], on: peer).result?["merge_id"]?.string)
      }
      #expect(try await erase(users[3], on: peer).userID == users[0])
      for merge in merges {
        let call = #"{"merge_id":"\#(merge ?? "")",\#(Self.why),"request_key":"\#(merge ?? "")"}"#
        for _ in 0..<2 {
          let undo = try await peer.call("merge.undo", call)
          #expect(undo.reason == "user_erased" && undo.code == 1000 && undo.error?["data"]?["later_merge_id"] == nil)
        }
        let told = try await peer.call("merge.get", #"{"merge_id":"\#(merge ?? "")"}"#)
        #expect(told.result?["state"]?.string ?? told.result?["merge"]?["state"]?.string == "done", "\(told.text)")
      }
    }
  }

  // MARK: Races

  /// 64 connections to two daemons with two loops each.
  private func withRacers(_ body: ([TestPeer], TestDatabase) async throws -> Void) async throws {
    try await TestService.with(Self.settings(threads: 2), count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      try await body(peers, database)
      try await database.expectConsistency()
      #expect(
        try await database.count(
          "select deadlocks::text from pg_stat_database where datname = current_database()") == 0)
    }
  }

  /// Sends every peer's call at once and gives back what came of each.
  private func race(_ peers: [TestPeer], _ call: (Int) -> (String, String)) async throws -> [WireAnswer] {
    for (number, peer) in peers.enumerated() {
      let (method, params) = call(number)
      peer.send(TestPeer.call(method, params, id: "\(number)"))
    }
    var answers: [WireAnswer] = []
    for peer in peers { answers.append(try await peer.answer()) }
    return answers
  }

  @Test func `people who are erased, merged, parted, linked and signed in at once end in order`() async throws {
    let expected: Set = [
      "done", "user_erased", "plan_stale", "not_found", "identity_linked_elsewhere", "email_taken", "merge_superseded",
      "last_sign_in_method", "challenge_mismatch", "challenge_used",
    ]
    try await withRacers { peers, database in
      for round in 0..<8 {
        let people = try await Cast(round, on: peers[0])
        for turn in 0..<2 {
          let answers = try await race(peers) { people.call($0, turn: turn) }
          let reasons = answers.reduce(into: [:]) { $0[$1.reason ?? "done", default: 0] += 1 }
          #expect(Set(reasons.keys).isSubset(of: expected), "\(reasons)")
          try await database.expectConsistency("in round \(round)")
        }
      }
      #expect(try await database.count("select count(*)::text from kith.users where status = 'erased'") > 8)
    }
  }

  /// A few people of one round, who were merged and parted before, and what is done to them from all sides.
  private struct Cast {
    let round: Int
    var users: [String] = []
    var plans: [String] = []
    var merges: [String] = []
    var challenges: [String] = []
    var identities: [String] = []

    init(_ round: Int, on peer: TestPeer) async throws {
      self.round = round
      for number in 0..<4 {
        let answer = try await peer.signIn(
          number % 2 == 0 ? "apple" : "linkedin", "r\(round)-\(number)", "r\(round)-\(number)@example.org",
          verified: true)
        users.append(try #require(answer.userID))
        let linked = try await peer.link(SignInCall("naver", "r\(round)-more\(number)"), to: answer.userID)
        identities.append(try #require(linked.identityID))
        let asked = try await peer.signIn("naver", "r\(round)-asked\(number)", "r\(round)-\(number)@example.org")
        challenges.append(try #require(asked.challengeID))
      }
      // In odd rounds two of them are one already.
      if round % 2 == 1 {
        let plan = try await peer.call("merge.plan", #"{"users":["\#(users[0])","\#(users[1])"]}"#)
        let merged = try await peer.call(
          "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(ErasingTests.why)}"#)
        merges.append(try #require(merged.result?["merge_id"]?.string))
      }
      for (one, other) in [(0, 2), (2, 3), (1, 2), (3, 0)] {
        let plan = try await peer.call("merge.plan", #"{"users":["\#(users[one])","\#(users[other])"]}"#)
        plans.append(try #require(plan.result?["plan_token"]?.string))
      }
    }

    func call(_ number: Int, turn: Int) -> (String, String) {
      let person = number / 8 % 4
      let user = users[person]
      // In the second turn everybody is erased in the end.
      switch number % 8 {
      case 0 where turn == 1 || number < 32: return ("user.erase", #"{"id":"\#(user)",\#(ErasingTests.why)}"#)
      case 0: return ("event.read", #"{"consumer":"c\#(number)"}"#)
      case 1: return ("merge.run", #"{"plan_token":"\#(plans[person])",\#(ErasingTests.why)}"#)
      case 2:
        let claims = SignInCall("naver", "r\(round)-n\(number)").json
        return ("identity.link", #"{"user_id":"\#(user)","claims":\#(claims)}"#)
      case 3 where number < 32:
        return (
          "credential.put",
          #"{"access_group":"web","account":"r\#(round)-\#(person)","service":"s","secret":"AA==","user_id":"\#(user)"}"#
        )
      case 3:
        return ("identity.unlink", #"{"user_id":"\#(user)","identity_id":"\#(identities[person])"}"#)
      case 4 where number < 32:
        return ("user.update", #"{"id":"\#(user)","profile":{"nickname":"n\#(number)"}}"#)
      case 4:
        let proof = Proof.word(user)
        return ("link.confirm", #"{"challenge_id":"\#(challenges[person])","proof":\#(proof)}"#)
      case 5 where number >= 32 && !merges.isEmpty:
        return ("merge.undo", #"{"merge_id":"\#(merges[0])",\#(ErasingTests.why)}"#)
      case 5: return ("email.add", #"{"user_id":"\#(user)","email":"r\#(round)-x\#(number)@example.org"}"#)
      default:
        let subject = "r\(round)-\(number % 8 == 6 ? "\(person)" : "new\(number)")"
        return (
          "signin.resolve",
          SignInCall(
            number % 2 == 0 ? "apple" : "linkedin", subject, "r\(round)-\(person)@example.org", verified: true,
            #""request_key":"r\#(round)-\#(turn)-\#(number)""#
          ).json
        )
      }
    }
  }

  /// Of each two one is asked whether they are the other's, so both erasures take both challenges.
  @Test func `two who may be each other are erased at once, and nobody waits in a ring`() async throws {
    try await withRacers { peers, database in
      var users: [String] = []
      for number in 0..<peers.count {
        let answer = try await peers[0].signIn("apple", "a\(number)", "a\(number)@example.org", verified: true)
        users.append(try #require(answer.userID))
      }
      for number in 0..<peers.count {
        let asked = try await peers[0].signIn("naver", "n\(number)", "a\(number ^ 1)@example.org")
        #expect(asked.outcome == "link_required")
        #expect(try await peers[0].link(SignInCall("naver", "n\(number)"), to: users[number]).reason == nil)
      }
      #expect(try await database.count("select count(*)::text from kith.challenges") == peers.count)
      let answers = try await race(peers) { ("user.erase", #"{"id":"\#(users[$0])",\#(Self.why)}"#) }
      for answer in answers { #expect(answer.reason == nil, "\(answer.text)") }
      #expect(try await database.count("select count(*)::text from kith.challenges") == 0)
    }
  }

  /// Whoever gives places to events has the end of their log, and then changes the same rows.
  @Test func `an erasure that waits for the log of events has changed no event`() async throws {
    try await withPeer { peer, database in
      let mira = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      _ = try await peer.signIn("apple", "mira", "mira-2@example.org", verified: true)
      let events = try await database.count("select count(*)::text from kith.events")
      try await database.holding("select from kith.event_log for update") {
        peer.send(TestPeer.call("user.erase", #"{"id":"\#(mira.userID ?? "")",\#(Self.why)}"#, id: "1"))
        while try await database.count(
          """
          select count(*)::text from (
            select pid::text from pg_stat_activity
            where datname = current_database() and usename = 'kith_runtime' and wait_event_type = 'Lock'
            union all
            select id::text from kith.events where type = 'user.erased'
          ) waiting_or_done
          """) == 0
        {}
        let free = try await database.count(
          "select count(*)::text from (select from kith.events for update skip locked) e")
        #expect(free == events)
        #expect(try await database.count("select count(*)::text from kith.users where status = 'erased'") == 0)
      }
      #expect(try await peer.answer().reason == nil)
    }
  }

  /// Events are given their places while the addresses in them are forgotten, which changes the same rows.
  @Test func `people are erased while what happened to them is told`() async throws {
    try await withRacers { peers, database in
      for round in 0..<3 {
        var users: [String] = []
        for number in 0..<peers.count / 2 {
          let answer = try await peers[number].signIn(
            "apple", "e\(round)-\(number)", "e\(round)-\(number)@example.org", verified: true)
          users.append(try #require(answer.userID))
        }
        // Nobody has read yet what happens now.
        for turn in 0..<4 {
          let answers = try await race(Array(peers.prefix(users.count))) { number in
            (
              "signin.resolve",
              SignInCall("apple", "e\(round)-\(number)", "e\(round)-\(number)-\(turn)@example.org", verified: true).json
            )
          }
          for answer in answers { #expect(answer.reason == nil, "\(answer.text)") }
        }
        let answers = try await race(peers) { number in
          number % 2 == 0
            ? ("user.erase", #"{"id":"\#(users[number / 2])",\#(Self.why)}"#)
            : ("event.read", #"{"consumer":"reader\#(number)","limit":1000}"#)
        }
        for answer in answers { #expect(answer.reason == nil, "\(answer.text)") }
      }
      #expect(try await database.count("select count(*)::text from kith.events where data::text like '%@%'") == 0)
    }
  }
}
