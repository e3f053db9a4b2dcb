import Crypto
import TestSupport
import Testing

/// A repeat under the same request key.
struct RequestKeyTests {
  private static let claims = #""provider":"apple","subject":"s","email":"mira@example.org","email_verified":true"#
  private static let first = "{\(claims),\"request_key\":\"k1\",\"include\":[\"emails\",\"profile\"]}"

  /// The bytes of an answer's result.
  private func result(of answer: WireAnswer) -> Substring? {
    answer.text.firstRange(of: #""result":"#).map { answer.text[$0.upperBound...] }
  }

  @Test func `a repeat gets the same bytes whatever the order of members, also from another daemon`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let original = try await peer.call("signin.resolve", Self.first)
      #expect(original.outcome == "registered")
      let reordered = "{\"include\":[\"emails\",\"profile\"],\"request_key\":\"k1\",\(Self.claims)}"
      let spaced = Self.first.replacing(",", with: " , \t").replacing("mira", with: "\\u006dira")
      for params in [Self.first, reordered, spaced] {
        let repeated = try await peer.call("signin.resolve", params)
        #expect(result(of: repeated) == result(of: original))
      }
      let later = try await TestService.start(on: database)
      let other = try later.connect()
      let elsewhere = try await other.call("signin.resolve", Self.first)
      #expect(result(of: elsewhere) == result(of: original))
      other.close()
      await later.stop()
      #expect(try await database.count("select count(*)::text from kith.users") == 1)
    }
  }

  @Test func `other parameters under the same key are refused and change nothing`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.call("signin.resolve", Self.first)
      for other in [
        Self.first.replacing("\"s\"", with: "\"t\""), Self.first.replacing("true", with: "false"),
        Self.first.replacing(",\"include\":[\"emails\",\"profile\"]", with: ""),
        Self.first.replacing("[\"emails\",\"profile\"]", with: "[\"profile\",\"emails\"]"),
      ] {
        let answer = try await peer.call("signin.resolve", other)
        #expect(answer.reason == "request_key_reused", "\(other)")
        #expect(answer.code == 1001)
      }
      #expect(try await database.count("select count(*)::text from kith.identities") == 1)
    }
  }

  @Test func `what may be held sealed cannot be found in the database by trying`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      // In their canonical form already.
      let held = #"{"email":"mira@example.org","provider":"apple","register":"hold","request_key":"k1","subject":"s"}"#
      let registration = try await peer.call("signin.resolve", held).result?["registration"]?["id"]?.string ?? ""
      let completing =
        #"{"profile":{"nickname":"mi"},"registration_id":"\#(registration)","request_key":"k2"}"#
      #expect(try await peer.call("registration.complete", completing).outcome == "registered")
      let user = try await peer.signIn("apple", "s").userID ?? ""
      let disabling = #"{"id":"\#(user)","reason":"r","request_key":"k3"}"#
      #expect(try await peer.call("user.disable", disabling).reason == nil)
      let kept = try await database.texts(
        "select method || ' ' || encode(parameters_sha256, 'hex') from kith.request_keys order by key")
      func digest(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      #expect(kept.map { $0.prefix { $0 != " " } } == ["signin.resolve", "registration.complete", "user.disable"])
      #expect(!kept.contains { $0.hasSuffix(digest(held)) || $0.hasSuffix(digest(completing)) })
      // So the canonical form is what was tried.
      #expect(kept.last?.hasSuffix(digest(disabling)) == true)
    }
  }

  /// Every method that changes something, with parameters for a round.
  private static let changes:
    [(method: String, params: @Sendable (_ round: Int, _ user: String, _ held: String) -> String)] = [
      ("signin.resolve", { round, _, _ in #""provider":"apple","subject":"n\#(round)","nickname":"n""# }),
      (
        "signin.resolve",
        { round, _, _ in #""provider":"apple","subject":"h\#(round)","nickname":"n","register":"hold""# }
      ),
      (
        "signin.resolve",
        { round, _, _ in
          #""provider":"apple","subject":"mira","email":"other\#(round)@example.org","email_verified":true"#
        }
      ),
      ("registration.fail", { _, _, held in #""registration_id":"\#(held)","reason":"r""# }),
      ("registration.complete", { _, _, held in #""registration_id":"\#(held)","include":["profile"]"# }),
      ("registration.discard", { _, _, held in #""registration_id":"\#(held)""# }),
      ("user.update", { round, user, _ in #""id":"\#(user)","profile":{"nickname":"n\#(round)"}"# }),
      ("user.disable", { _, user, _ in #""id":"\#(user)","reason":"r""# }),
      ("user.enable", { _, user, _ in #""id":"\#(user)","reason":"r""# }),
      (
        "credential.add",
        { round, _, _ in #""access_group":"g","account":"a\#(round)","service":"s","secret":"AA==""# }
      ),
      ("credential.put", { _, _, _ in #""access_group":"g","account":"put","service":"s","secret":"AA==""# }),
      ("credential.update", { _, _, _ in #""access_group":"g","account":"put","service":"s","secret":"AA==""# }),
      ("credential.delete", { round, _, _ in #""access_group":"g","account":"a\#(round)","service":"s""# }),
    ]

  @Test func `of many equal calls at once through two daemons each is told the one answer that is kept`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      let user = try await peers[0].signIn("apple", "mira").userID ?? ""
      for round in 0..<4 {
        let held =
          try await peers[0].signIn("apple", "held\(round)", nil, #""nickname":"n""#, #""register":"hold""#)
          .result?["registration"]?["id"]?.string ?? ""
        let dropped =
          try await peers[0].signIn("apple", "d\(round)", nil, #""nickname":"n""#, #""register":"hold""#)
          .result?["registration"]?["id"]?.string ?? ""
        for (number, change) in Self.changes.enumerated() {
          let registration = change.method == "registration.discard" ? dropped : held
          let call = TestPeer.call(
            change.method, "{\(change.params(round, user, registration)),\"request_key\":\"\(round)-\(number)\"}",
            id: "7")
          for peer in peers { peer.send(call) }
          var answers: Set<String> = []
          for peer in peers {
            let answer = try await peer.answer()
            if answer.reason != "in_progress" { answers.insert(answer.text) }
          }
          peers[round].send(call)
          answers.insert(try await peers[round].answer().text)
          #expect(answers.count == 1, "\(change.method): \(answers)")
          #expect(answers.allSatisfy { $0.contains(#""result":"#) }, "\(change.method): \(answers)")
        }
      }
      #expect(
        try await database.count("select count(*)::text from kith.request_keys") == 4 * Self.changes.count)
    }
  }

  @Test func `who finds a registration completed by the same call just now is told that call's answer`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let held = try await peer.signIn("apple", "s", nil, #""nickname":"n""#, #""register":"hold""#)
      let registration = held.result?["registration"]?["id"]?.string ?? ""
      let call = TestPeer.call(
        "registration.complete", #"{"registration_id":"\#(registration)","request_key":"k"}"#, id: "7")
      peer.send(call)
      let first = try await peer.answer()
      #expect(first.outcome == "registered")
      // As if that were committed only after the second call has looked for an answer and before it looks at the row.
      try await database.script(
        "create table public.kept as select * from kith.request_keys; delete from kith.request_keys", as: .superuser)
      let putBack = """
        insert into kith.request_keys select * from public.kept; lock table kith.registrations in access exclusive mode
        """
      try await database.holding(putBack) {
        peer.send(call)
        while try await database.count("select count(*)::text from pg_locks where not granted") == 0 {}
      }
      #expect(try await peer.answer().text == first.text)
    }
  }

  @Test func `a key belongs to its caller and its method`() async throws {
    let callers = [
      TestService.caller("app", more: #", socket: "app""#), TestService.caller("ops", more: #", socket: "admin""#),
    ]
    try await TestService.with(.init(callers: callers)) { services, _ in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let user = try await app.call("signin.resolve", Self.first).userID ?? ""
      let other = try await admin.call("signin.resolve", #"{"provider":"apple","subject":"t","request_key":"k1"}"#)
      #expect(other.outcome == "registered")
      let disabled = try await app.call("user.disable", #"{"id":"\#(user)","reason":"r","request_key":"k1"}"#)
      #expect(disabled.result?["user"]?["status"]?.string == "disabled")
      // The answer to the sign-in is what it was, although it would be another now.
      let repeated = try await app.call("signin.resolve", Self.first)
      #expect(repeated.outcome == "registered")
    }
  }

  @Test func `what changed nothing or was refused is not kept`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let never = #"{"provider":"apple","subject":"s","register":"never","request_key":"k1"}"#
      let nobody = try await peer.call("signin.resolve", never)
      #expect(nobody.outcome == "not_found")
      _ = try await peer.signIn("apple", "s")
      let known = try await peer.call("signin.resolve", never)
      #expect(known.outcome == "signed_in")
      let missing = try await peer.call(
        "user.disable", #"{"id":"01900000-0000-7000-8000-000000000000","reason":"r","request_key":"k2"}"#)
      #expect(missing.reason == "not_found")
      #expect(try await database.count("select count(*)::text from kith.request_keys") == 0)
    }
  }

  @Test func `repeats at the same time get the one answer or are told that it is being made`() async throws {
    var settings = TestService.Settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      for peer in peers { peer.send(TestPeer.call("signin.resolve", Self.first, id: "1")) }
      var results: Set<Substring> = []
      for peer in peers {
        let answer = try await peer.answer()
        if answer.reason == "in_progress" {
          #expect(answer.error?["data"]?["retryable"]?.bool == true)
        } else if let result = result(of: answer) {
          results.insert(result)
        } else {
          Issue.record("\(answer.text)")
        }
      }
      #expect(results.count == 1)
      #expect(try await database.count("select count(*)::text from kith.users") == 1)
      for peer in peers {
        let later = try await peer.call("signin.resolve", Self.first)
        #expect(result(of: later).map { results.contains($0) } == true)
      }
    }
  }
}
