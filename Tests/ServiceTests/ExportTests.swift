import Accounts
import FoundationEssentials
import TestSupport
import Testing

/// Telling a person what is held about them, over the socket.
struct ExportTests {
  private static let why = #""reason":"one person""#

  private func withPeer(limits: String = "", _ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    var settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["web"]"#)])
    settings.limits = limits
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
    }
  }

  private func export(_ user: String?, on peer: TestPeer) async throws -> WireAnswer {
    try await peer.call("user.export", #"{"id":"\#(user ?? "")"}"#)
  }

  /// The document without what tells of changes alone.
  private func content(_ answer: WireAnswer) throws -> String {
    let text = answer.text
    let start = try #require(text.range(of: #"{"user":"#)?.lowerBound, "\(text)")
    let end = try #require(text.range(of: #","history":"#)?.lowerBound, "\(text)")
    return String(text[start..<end])
  }

  /// Somebody of whom everything is held that can be.
  private func person(_ name: String, _ provider: String, on peer: TestPeer) async throws -> String {
    let signedIn = try await peer.signIn(
      provider, name, "\(name)@example.org", verified: true, #""name":{"full":"\#(name)"}"#, #""details":{"n":null}"#)
    let user = try #require(signedIn.userID, "\(signedIn.text)")
    _ = try await peer.email("add", "\(name)-3@example.org", of: user)
    _ = try await peer.email("remove", "\(name)-3@example.org", of: user)
    let linked = try await peer.link(SignInCall("naver", "\(name)-nv"), to: user)
    _ = try await peer.unlink(linked.identityID, from: user)
    // That made every token from before worthless.
    _ = try await peer.email("add", "\(name)-2@example.org", of: user)
    let put = try await peer.call(
      "credential.put",
      #"{"access_group":"web","account":"\#(name)","service":"s","secret":"Y2FuYXJ5","user_id":"\#(user)","#
        + #""attributes":{"a":null}}"#)
    #expect(put.reason == nil, "\(put.text)")
    return user
  }

  @Test func `a person is told all that is held of them, and no secret`() async throws {
    try await withPeer { peer, _ in
      let mira = try await person("mira", "apple", on: peer)
      let answer = try await export(mira, on: peer)
      let document = answer.result?["export"]
      #expect(document?["user"]?["id"]?.string == mira)
      #expect(document?["user"]?["profile"]?["name"]?["full"]?.string == "mira")
      #expect(document?["user"]?["identities"]?[0]?["subject"]?.string == "mira")
      #expect(document?["user"]?["emails"]?.elements.count == 2)
      #expect(document?["unlinked"]?[0]?["subject"]?.string == "mira-nv")
      #expect(document?["removed_emails"]?[0]?["canonical"]?.string == "mira-3@example.org")
      #expect(document?["history"]?["email_tokens"]?.elements.map { $0["canonical"]?.string } == ["mira-2@example.org"])
      #expect(document?["credentials"]?[0]?["account"]?.string == "mira")
      #expect(answer.text.contains(#""attributes":{"a":null}"#) && !answer.text.contains("Y2FuYXJ5"))
      #expect(document?["disabled_reason"] == nil && document?["former_ids"]?.elements.isEmpty == true)
      let types = document?["history"]?["events"]?.elements.map { $0["type"]?.string }
      #expect(types == ["user.registered", "email.claim_dropped", "identity.linked", "identity.unlinked"])
      #expect(
        document?["history"]?["audit"]?.elements.map { $0["action"]?.string }
          == ["email.remove", "identity.link", "identity.unlink"])
      #expect(document?["history"]?["credentials"]?[0]?["action"]?.string == "add")

      _ = try await peer.call("user.disable", #"{"id":"\#(mira)","reason":"Asked for it."}"#)
      let disabled = try await export(mira, on: peer)
      #expect(disabled.result?["export"]?["disabled_reason"]?.string == "Asked for it.")
      _ = try await peer.call("user.erase", #"{"id":"\#(mira)","reason":"Asked for it."}"#)
      #expect(try await export(mira, on: peer).reason == "user_erased")
      #expect(try await export("01920000-0000-7000-8000-000000000000", on: peer).reason == "not_found")
    }
  }

  @Test func `what is still held of an identity, and what became of a registration, is told`() async throws {
    try await withPeer { peer, database in
      let held = try await peer.signIn("apple", "noor", nil, #""nickname":"no""#, #""register":"hold""#)
      let id = held.result?["registration"]?["id"]?.string ?? ""
      let noor = try await peer.call("registration.complete", #"{"registration_id":"\#(id)"}"#).userID
      let answer = try await export(noor, on: peer)
      #expect(answer.result?["export"]?["registrations"]?[0]?["id"]?.string == id)
      #expect(answer.result?["export"]?["held_registrations"]?.elements.isEmpty == true)
      let later = try await peer.signIn("linkedin", "later", nil, #""nickname":"la""#, #""register":"hold""#)
      #expect(later.outcome == "registration_held")
      try await database.script(
        """
        insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
        select r.namespace_id, r.subject, u.id, gen_random_uuid(), now(), 'import'
        from kith.registrations r, kith.users u where r.subject = 'later'
        """)
      let told = try await export(noor, on: peer)
      #expect(
        told.result?["export"]?["held_registrations"]?[0]?["details"]?["nickname"]?.string == "la", "\(told.text)")
    }
  }

  @Test func `without its history an export is the same before a merge and after its undo`() async throws {
    try await withPeer { peer, _ in
      let mira = try await person("mira", "apple", on: peer)
      let noor = try await person("noor", "linkedin", on: peer)
      let before = (try content(try await export(mira, on: peer)), try content(try await export(noor, on: peer)))
      let plan = try await peer.call("merge.plan", #"{"users":["\#(mira)","\#(noor)"]}"#)
      let merged = try await peer.call(
        "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(Self.why)}"#)
      let together = try await export(noor, on: peer)
      let document = together.result?["export"]
      #expect(document?["user"]?["id"]?.string == mira && document?["former_ids"]?[0]?.string == noor)
      #expect(document?["credentials"]?.elements.count == 2 && document?["unlinked"]?.elements.count == 2)
      #expect(document?["history"]?["merges"]?[0]?["merge_id"] == merged.result?["merge_id"])
      let moved = document?["history"]?["merges"]?[0]?["moved_emails"]?.elements.map(\.string)
      #expect(moved == ["noor-2@example.org", "noor@example.org"])
      let former = document?["history"]?["former_users"]
      #expect(former?[0]?["id"]?.string == noor && former?[0]?["profile"]?["name"]?["full"]?.string == "noor")
      #expect(together.text.contains(#"{"full":"noor"},"details":{"n":null}"#), "\(together.text)")
      _ = try await peer.call(
        "merge.undo", #"{"merge_id":"\#(merged.result?["merge_id"]?.string ?? "")",\#(Self.why)}"#)
      #expect(try content(try await export(mira, on: peer)) == before.0)
      let parted = try await export(noor, on: peer)
      #expect(try content(parted) == before.1)
      #expect(parted.result?["export"]?["history"]?["merges"]?[0]?["moved_emails"] == nil)
    }
  }

  @Test func `a merge of any two and its undo leave both exports as they were`() async throws {
    let pairs = 40
    for round in 0..<(ProcessInfo.processInfo.environment["KITH_FAULT_ROUNDS"].flatMap { Int($0) } ?? 1) {
      let seed = UInt64.random(in: .min ... .max)
      try await withPeer { peer, database in
        let people = RandomPeople.families(pairs, of: 2, seed: seed, makesNamespaces: false)
        try await database.script(people, as: .superuser)
        for pair in 0..<pairs {
          let users = (1...2).map { UserID.numbered(UInt64(2 * pair + $0)).description }.shuffled()
          let before = (
            try content(try await export(users[0], on: peer)), try content(try await export(users[1], on: peer))
          )
          let plan = try await peer.call(
            "merge.plan", #"{"users":["\#(users[0])","\#(users[1])"],"survivor":"\#(users[0])"}"#)
          let merged = try await peer.call(
            "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(Self.why)}"#)
          let undone = try await peer.call(
            "merge.undo", #"{"merge_id":"\#(merged.result?["merge_id"]?.string ?? "")",\#(Self.why)}"#)
          #expect(undone.result?["state"]?.string == "undone", "\(merged.text) \(undone.text)")
          #expect(try content(try await export(users[0], on: peer)) == before.0, "seed \(seed) of round \(round)")
          #expect(try content(try await export(users[1], on: peer)) == before.1, "seed \(seed) of round \(round)")
        }
      }
    }
  }

  @Test func `an export that does not fit into an answer is refused whole`() async throws {
    try await withPeer(limits: "answer_bytes_queued: 65536") { peer, _ in
      let mira = try await peer.signIn("apple", "mira").userID
      for number in 0..<5 {
        let put = try await peer.call(
          "credential.put",
          #"{"access_group":"web","account":"a\#(number)","service":"s","secret":"AA==","user_id":"\#(mira ?? "")","#
            + #""attributes":{"a":"\#(String(repeating: "x", count: 15_000))"}}"#)
        #expect(put.reason == nil)
      }
      let refused = try await export(mira, on: peer)
      #expect(refused.reason == "too_large" && refused.code == 1004 && refused.limit == "answer_bytes_queued")
      #expect(try await peer.call("system.ping").result != nil)
    }
  }
}
