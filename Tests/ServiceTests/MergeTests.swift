import TestSupport
import Testing

/// Merging, over the socket.
struct MergeTests {
  private static let why = #""reason":"one person""#

  /// Two people who are one: Mira by Apple, and Mira by LinkedIn with another address.
  private func twoAccounts(on peer: TestPeer) async throws -> (older: String, younger: String) {
    let first = try await peer.signIn(
      "apple", "mira", "mira@example.org", verified: true, #""name":{"full":"Mira Beispiel"}"#)
    let second = try await peer.signIn(
      "linkedin", "mira-li", "mira@work.example.org", verified: true, #""name":{"full":"Mira Zweitname"}"#,
      #""nickname":"mi""#)
    return (first.userID ?? "", second.userID ?? "")
  }

  private func plan(_ first: String, _ second: String, _ more: String = "", on peer: TestPeer) async throws
    -> WireAnswer
  {
    try await peer.call("merge.plan", #"{"users":["\#(first)","\#(second)"]\#(more)}"#)
  }

  private func run(_ plan: WireAnswer, _ more: String = "", on peer: TestPeer) async throws -> WireAnswer {
    let token = plan.result?["plan_token"]?.string ?? ""
    return try await peer.call("merge.run", #"{"plan_token":"\#(token)",\#(Self.why)\#(more)}"#)
  }

  private func undo(_ merge: String?, _ more: String = "", on peer: TestPeer) async throws -> WireAnswer {
    try await peer.call("merge.undo", #"{"merge_id":"\#(merge ?? "")",\#(Self.why)\#(more)}"#)
  }

  @Test func `two accounts become one, and two again`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let (older, younger) = try await twoAccounts(on: peer)
      let plan = try await plan(younger, older, on: peer)
      #expect(plan.result?["survivor"]?.string == older && plan.result?["absorbed"]?.string == younger)
      #expect(plan.result?["moves"]?["identities"]?[0]?["subject"]?.string == "mira-li")
      #expect(plan.result?["moves"]?["emails"]?[0]?["email"]?.string == "mira@work.example.org")
      #expect(plan.result?["moves"]?["counts"]?["identities"]?.integer == 1)
      #expect(plan.result?["conflicts"]?.elements.map { $0["code"]?.string } == ["name_differs"])
      #expect(plan.result?["consumers"]?.elements.isEmpty == true)
      #expect(plan.result?["expires_at"]?.string != nil)

      let merged = try await run(plan, on: peer)
      #expect(merged.result?["survivor"]?.string == older && merged.result?["absorbed"]?.string == younger)
      #expect(merged.result?["state"]?.string == "done" && merged.result?["by"]?.string == "tests")
      #expect(merged.result?["reason"]?.string == "one person" && merged.result?["request_id"] != nil)
      #expect(merged.result?["moved"]?["emails"]?.integer == 1)
      let merge = merged.result?["merge_id"]?.string
      #expect(try await run(plan, on: peer).result?["merge_id"]?.string == merge)

      let found = try await peer.call("user.get", #"{"id":"\#(younger)","include":["profile"]}"#)
      #expect(found.userID == older && found.result?["merged"]?.bool == true)
      #expect(found.result?["user"]?["profile"]?["name"]?["full"]?.string == "Mira Beispiel")
      #expect(found.result?["user"]?["profile"]?["nickname"]?.string == "mi")
      #expect(try await peer.signIn("linkedin", "mira-li").userID == older)
      #expect(try await peer.call("user.get", #"{"email":"mira@work.example.org"}"#).userID == older)
      for (query, status, expected) in [
        ("zweitname", "", []), ("zweitname", #","status":"merged""#, [younger]), ("mira", "", [older]),
        ("work.example.org", "", [older]), (younger, "", [younger]),
      ] {
        let found = try await peer.call("user.search", #"{"query":"\#(query)"\#(status)}"#)
        #expect(found.result?["items"]?.elements.map { $0["id"]?.string } == expected, "\(query)")
      }

      let undone = try await undo(merge, on: peer)
      #expect(undone.result?["state"]?.string == "undone" && undone.result?["undone_by"]?.string == "tests")
      #expect(try await undo(merge, on: peer).result?["undone_at"] == undone.result?["undone_at"])
      #expect(try await peer.signIn("linkedin", "mira-li").userID == younger)
      let back = try await peer.call("user.get", #"{"id":"\#(older)","include":["profile"]}"#)
      #expect(back.result?["user"]?["profile"]?["nickname"] == nil)
      #expect(try await peer.emails(of: younger) == ["mira@work.example.org": true])
      try await database.expectConsistency()

      let told = try await peer.call("merge.get", #"{"merge_id":"\#(merge ?? "")"}"#)
      #expect(told.result?["merge_id"]?.string == merge && told.result?["identities"]?.elements.count == 1)
      for user in ["", #""user_id":"\#(older)""#, #""user_id":"\#(younger)""#] {
        let list = try await peer.call("merge.list", "{\(user)}")
        #expect(list.result?["items"]?.elements.map { $0["merge_id"]?.string } == [merge])
      }
    }
  }

  @Test func `what a merge moved is told as long as it is known`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["web"]"#)])
    try await TestService.withPeer(settings) { service, peer in
      let (older, younger) = try await twoAccounts(on: peer)
      for account in ["kept", "deleted"] {
        let place = #""access_group":"web","account":"\#(account)","service":"mail""#
        _ = try await peer.call("credential.put", #"{\#(place),"secret":"AA==","user_id":"\#(younger)"}"#)
      }
      let held = try await peer.signIn("naver", "mira-nv", nil, #""register":"hold""#)
      let registration = held.result?["registration"]?["id"]?.string ?? ""
      let third = try await peer.call("registration.complete", #"{"registration_id":"\#(registration)"}"#).userID ?? ""
      func moved(by merge: WireAnswer) async throws -> WireJSON? {
        try await peer.call("merge.get", #"{"merge_id":"\#(merge.result?["merge_id"]?.string ?? "")"}"#).result
      }
      let first = try await run(plan(younger, third, on: peer), on: peer)
      #expect(try await moved(by: first)?["registrations"]?.elements.map(\.string) == [registration])
      let second = try await run(plan(older, younger, on: peer), on: peer)
      let place = #""access_group":"web","account":"deleted","service":"mail""#
      _ = try await peer.call("credential.delete", "{\(place)}")
      let told = try await moved(by: second)
      #expect(told?["identities"]?.elements.count == 2 && told?["former_ids"]?.elements.map(\.string) == [third])
      #expect(told?["emails"]?.elements.map(\.string) == ["mira@work.example.org"])
      #expect(told?["credentials"]?.elements.map { $0["account"]?.string } == ["kept"])
      #expect(told?["registrations"]?.elements.isEmpty == true)
      try await service.reload(TestService.Settings())
      #expect(try await moved(by: second)?["credentials"]?.elements.isEmpty == true)
      _ = try await peer.call("user.erase", #"{"id":"\#(older)","reason":"asked for"}"#)
      let erased = try await moved(by: second)
      #expect(erased?["emails"]?.elements.isEmpty == true && erased?["merge_id"] == told?["merge_id"])
    }
  }

  @Test func `a plan says whose consumers are behind, and no more differences than can be seen`() async throws {
    try await TestService.withPeer { _, peer in
      let first = try await peer.signIn("apple", "minji", nil, #""name":{"given":"민지","family":"김"}"#).userID ?? ""
      _ = try await peer.call("event.read", #"{"consumer":"crm","from":"now"}"#)
      let second = try await peer.signIn("naver", "minji", nil, #""name":{"full":"김민지"}"#).userID ?? ""
      let plan = try await plan(first, second, on: peer).result
      #expect(plan?["conflicts"]?.elements.isEmpty == true)
      let consumers = plan?["consumers"]?.elements.map { "\($0["name"]?.string ?? "") \($0["caller"]?.string ?? "")" }
      #expect(consumers == ["crm tests"] && plan?["consumers"]?[0]?["behind"]?.integer == 1)
      let refused = try await peer.call("merge.plan", #"{"users":["\#(first)"]}"#)
      #expect(refused.error?["message"]?.string?.contains("an array of 2 items") == true, "\(refused.text)")
    }
  }

  @Test func `the trail tells of a merge and its undo for both, whichever is asked for and however they stand`()
    async throws
  {
    try await TestService.withPeer { _, peer in
      let (older, younger) = try await twoAccounts(on: peer)
      func told(of user: String) async throws -> [String?] {
        let list = try await peer.call("audit.list", #"{"user_id":"\#(user)"}"#)
        return list.result?["items"]?.elements.map { $0["action"]?.string } ?? ["\(list.text)"]
      }
      func expectTold(_ actions: [String]) async throws {
        for user in [older, younger] { #expect(try await told(of: user) == actions) }
      }
      let first = try await run(plan(older, younger, on: peer), on: peer)
      try await expectTold(["merge.run"])
      _ = try await undo(first.result?["merge_id"]?.string, on: peer)
      try await expectTold(["merge.undo", "merge.run"])
      // The other way round, so that each was the survivor once.
      _ = try await run(plan(older, younger, #","survivor":"\#(younger)""#, on: peer), on: peer)
      try await expectTold(["merge.run", "merge.undo", "merge.run"])
      let page = try await peer.call("audit.list", #"{"user_id":"\#(older)","limit":2}"#).result
      let next = page?["next"]?.string ?? ""
      let rest = try await peer.call("audit.list", #"{"user_id":"\#(older)","limit":2,"after":"\#(next)"}"#).result
      #expect(page?["items"]?.elements.count == 2 && rest?["items"]?.elements.count == 1)
      _ = try await peer.call("user.erase", #"{"id":"\#(older)","reason":"asked for"}"#)
      try await expectTold(["user.erase", "merge.run", "merge.undo", "merge.run"])
      // Somebody else's changes are not theirs.
      let other = try await peer.signIn("apple", "ron").userID ?? ""
      #expect(try await told(of: other) == [])
    }
  }

  @Test func `merges are listed page by page, the newest first`() async throws {
    try await TestService.withPeer { _, peer in
      let (older, younger) = try await twoAccounts(on: peer)
      var merges: [String?] = []
      for _ in 0..<5 {
        let merge = try await run(try await plan(older, younger, on: peer), on: peer).result?["merge_id"]?.string
        merges.insert(merge, at: 0)
        _ = try await undo(merge, on: peer)
      }
      for user in ["", #","user_id":"\#(older)""#, #","user_id":"\#(younger)""#] {
        var found: [String?] = []
        var after = ""
        repeat {
          let page = try await peer.call("merge.list", "{\"limit\":2\(user)\(after)}")
          found += page.result?["items"]?.elements.map { $0["merge_id"]?.string } ?? []
          after = page.result?["next"]?.string.map { ",\"after\":\"\($0)\"" } ?? ""
        } while !after.isEmpty
        #expect(found == merges)
      }
    }
  }

  @Test func `what cannot be is refused by its reason`() async throws {
    try await TestService.withPeer { _, peer in
      let (older, younger) = try await twoAccounts(on: peer)
      let nobody = "01920000-0000-7000-8000-000000000000"
      #expect(try await plan(older, nobody, on: peer).reason == "not_found")
      let one = try await plan(older, older, on: peer)
      #expect(one.reason == "invalid_params" && one.path == "params.users")
      let other = try await plan(older, younger, #","survivor":"\#(nobody)""#, on: peer)
      #expect(other.reason == "not_found")
      let third = try await peer.signIn("naver", "third").userID ?? ""
      let elsewhere = try await plan(older, younger, #","survivor":"\#(third)""#, on: peer)
      #expect(elsewhere.reason == "invalid_params" && elsewhere.path == "params.survivor")
      for users in [#"["\#(older)"]"#, #"["\#(older)","\#(younger)","\#(older)"]"#] {
        let answer = try await peer.call("merge.plan", #"{"users":\#(users)}"#)
        #expect(answer.reason == "invalid_params" && answer.path == "params.users")
      }
      let malformed = try await peer.call("merge.run", #"{"plan_token":"nonsense",\#(Self.why)}"#)
      #expect(malformed.reason == "invalid_params" && malformed.path == "params.plan_token")
      for method in ["get", "undo"] {
        let answer = try await peer.call(
          "merge.\(method)", #"{"merge_id":"\#(nobody)"\#(method == "get" ? "" : ",\(Self.why)")}"#)
        #expect(answer.reason == "not_found")
      }
      #expect(try await peer.call("merge.list", #"{"user_id":"\#(nobody)"}"#).reason == "not_found")
      #expect(try await peer.call("merge.list", #"{"after":"x"}"#).path == "params.after")

      let stale = try await plan(older, younger, on: peer)
      _ = try await peer.call("user.disable", #"{"id":"\#(younger)",\#(Self.why)}"#)
      let refused = try await run(stale, on: peer)
      #expect(refused.reason == "plan_stale" && refused.code == 1001)

      let first = try await run(try await plan(older, younger, on: peer), on: peer)
      #expect(try await peer.signIn("apple", "mira").reason == "user_disabled")
      let second = try await run(try await plan(older, third, on: peer), on: peer)
      let superseded = try await undo(first.result?["merge_id"]?.string, on: peer)
      #expect(superseded.reason == "merge_superseded" && superseded.code == 1001)
      #expect(superseded.error?["data"]?["later_merge_id"] == second.result?["merge_id"])
    }
  }

  @Test func `a repeat under a request key gets the same bytes`() async throws {
    try await TestService.withPeer { _, peer in
      let (older, younger) = try await twoAccounts(on: peer)
      let plan = try await plan(older, younger, on: peer)
      let merged = try await run(plan, #","request_key":"k""#, on: peer)
      let undone = try await undo(merged.result?["merge_id"]?.string, #","request_key":"k""#, on: peer)
      #expect(try await run(plan, #","request_key":"k""#, on: peer).result == merged.result)
      #expect(
        try await undo(merged.result?["merge_id"]?.string, #","request_key":"k""#, on: peer).result == undone.result)
      let other = try await self.plan(older, younger, on: peer)
      #expect(try await run(other, #","request_key":"k""#, on: peer).reason == "request_key_reused")
    }
  }

  // MARK: Many at once

  @Test func `one plan brought by many at once is carried out once`() async throws {
    try await TestService.with(count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      let (older, younger) = try await twoAccounts(on: peers[0])
      let token = try await plan(older, younger, on: peers[0]).result?["plan_token"]?.string ?? ""
      for peer in peers {
        peer.send(TestPeer.call("merge.run", #"{"plan_token":"\#(token)",\#(Self.why)}"#, id: "1"))
      }
      var merges: Set<String?> = []
      for peer in peers { merges.insert(try await peer.answer().result?["merge_id"]?.string) }
      #expect(merges.count == 1 && !merges.contains(nil))
      #expect(try await database.count("select count(*)::text from kith.merges") == 1)
      try await database.expectConsistency()
      // And so is its undo.
      for peer in peers {
        peer.send(TestPeer.call("merge.undo", #"{"merge_id":"\#((merges.first ?? nil) ?? "")",\#(Self.why)}"#, id: "1"))
      }
      var times: Set<String?> = []
      for peer in peers { times.insert(try await peer.answer().result?["undone_at"]?.string) }
      #expect(times.count == 1 && !times.contains(nil))
      try await database.expectConsistency()
    }
  }

  /// What one of many does: at random it plans and merges two of a few users, undoes the merge of which it heard last, or signs
  /// somebody in who may be one of them.
  private func wander(_ users: [String], _ rounds: Int, on peer: TestPeer) async throws -> [String] {
    var words: [String] = []
    var merge: String?
    func note(_ answer: WireAnswer) { words.append(answer.reason ?? "done") }
    for _ in 0..<rounds {
      switch Int.random(in: 0..<4) {
      case 0, 1:
        let pair = users.shuffled().prefix(2)
        let planned = try await plan(pair[0], pair[1], #","survivor":"\#(pair[1])""#, on: peer)
        note(planned)
        guard planned.result != nil else { continue }
        let merged = try await run(planned, on: peer)
        note(merged)
        merge = merged.result?["merge_id"]?.string ?? merge
      case 2:
        guard let asked = merge else { continue }
        let undone = try await undo(asked, on: peer)
        note(undone)
        merge = undone.error?["data"]?["later_merge_id"]?.string
      default:
        let number = Int.random(in: 0..<users.count)
        note(
          try await peer.signIn(
            Bool.random() ? "apple" : "linkedin", "s\(number)", "s\(Bool.random() ? number : number + 1)@example.org",
            verified: Bool.random()))
      }
    }
    return words
  }

  @Test func `merging, undoing and signing in at once neither deadlocks nor leaves anything half`() async throws {
    var settings = TestService.Settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let first = try services[0].connect()
      defer { first.close() }
      var users: [String] = []
      for number in 0..<8 {
        users.append(
          try await first.signIn("apple", "s\(number)", "s\(number)@example.org", verified: true).userID ?? "")
      }
      let words = try await withThrowingTaskGroup(of: [String].self) { group in
        for number in 0..<64 {
          group.addTask { [users] in
            let peer = try services[number % 2].connect()
            defer { peer.close() }
            return try await wander(users, 25, on: peer)
          }
        }
        return try await group.reduce(into: [String]()) { $0 += $1 }
      }
      let expected: Set = ["done", "plan_stale", "merge_superseded", "last_sign_in_method", "invalid_params"]
      #expect(Set(words).isSubset(of: expected), "\(Set(words).subtracting(expected))")
      #expect(words.count { $0 == "done" } > 200)
      for service in services { await service.stop() }
      #expect(
        try await database.count(
          "select deadlocks::text from pg_stat_database where datname = current_database()") == 0)
      #expect(try await database.texts("select ok::text from kith.verify_audit()") == ["true"])
      try await database.expectConsistency()
    }
  }

  @Test func `what a sign-in includes is of a moment at which the identity is the user's`() async throws {
    try await TestService.with(count: 2) { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      let (older, younger) = try await twoAccounts(on: peer)
      let merging = Task {
        for _ in 0..<30 {
          let merged = try await run(try await plan(older, younger, on: peer), on: peer)
          #expect(try await undo(merged.result?["merge_id"]?.string, on: peer).error == nil)
        }
      }
      try await withThrowingTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            let other = try services[number % 2].connect()
            defer { other.close() }
            for _ in 0..<100 {
              let answer = try await other.signIn("linkedin", "mira-li", nil, #""include":["identities"]"#)
              let subjects = answer.result?["user"]?["identities"]?.elements.compactMap { $0["subject"]?.string }
              #expect(subjects?.contains("mira-li") == true, "\(answer.text)")
            }
          }
        }
        try await group.waitForAll()
      }
      try await merging.value
    }
  }

  @Test func `a plan is of one moment, whoever is merged and parted meanwhile`() async throws {
    try await TestService.with(count: 2) { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      let (older, younger) = try await twoAccounts(on: peer)
      let third = try await peer.signIn("apple", "noor", "noor@example.org", verified: true).userID ?? ""
      let merging = Task {
        for _ in 0..<30 {
          let merged = try await run(try await plan(older, younger, on: peer), on: peer)
          #expect(try await undo(merged.result?["merge_id"]?.string, on: peer).error == nil)
        }
      }
      try await withThrowingTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            let other = try services[number % 2].connect()
            defer { other.close() }
            for _ in 0..<100 {
              let planned = try await plan(third, younger, #","survivor":"\#(younger)""#, on: other)
              #expect([older, younger].contains(planned.result?["survivor"]?.string ?? ""), "\(planned.text)")
            }
          }
        }
        try await group.waitForAll()
      }
      try await merging.value
    }
  }
}
