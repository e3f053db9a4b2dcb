import Foundation
import Glibc
import TestSupport
import Testing

/// The keychain, over the socket.
struct CredentialTests {
  private static let place = #""access_group":"web","account":"mira","service":"mail""#
  private static let secret = "c2VjcmV0"

  private static func caller(_ name: String = "tests", groups: String, more: String = "") -> String {
    TestService.caller(name, more: ", access_groups: [\(groups)]\(more)")
  }

  private static func settings(_ groups: String = #""*""#) -> TestService.Settings {
    TestService.Settings(callers: [caller(groups: groups)])
  }

  private func withPeer(
    _ groups: String = #""*""#, _ body: (TestService, TestPeer) async throws -> Void
  ) async throws {
    try await TestService.withPeer(Self.settings(groups), body)
  }

  private func json(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }

  @Test func `a credential lives from add to delete, and only get gives its secret`() async throws {
    try await withPeer { _, peer in
      let content = #""label":"Mail","expires_at":"2999-01-01T00:00:00.000Z","attributes":{"a":[1.0,{"b":null}]}"#
      let added = try await peer.call("credential.add", #"{\#(Self.place),"secret":"\#(Self.secret)",\#(content)}"#)
      let credential = added.result?["credential"]
      #expect(credential?["version"]?.integer == 1 && credential?["label"]?.string == "Mail")
      #expect(credential?["attributes"]?["a"]?[0] == .number("1.0"))
      #expect(added.result?["request_id"]?.string != nil)
      let taken = try await peer.call("credential.add", #"{\#(Self.place),"secret":"AA=="}"#)
      #expect(taken.reason == "credential_exists" && taken.code == 1001)
      let found = try await peer.call("credential.get", "{\(Self.place)}")
      #expect(found.result?["credential"]?["secret"]?.string == Self.secret)
      #expect(found.result?["credential"]?["expires_at"]?.string == "2999-01-01T00:00:00.000Z")
      let updated = try await peer.call(
        "credential.update", #"{\#(Self.place),"label":"Post","clear":["expires_at","attributes"]}"#)
      #expect(updated.result?["credential"]?["version"]?.integer == 2)
      #expect(updated.result?["credential"]?["attributes"] == nil)
      let put = try await peer.call("credential.put", #"{\#(Self.place),"secret":"AAE="}"#)
      #expect(put.result?["credential"]?["label"] == nil)
      let listed = try await peer.call("credential.list", #"{"access_group":"web"}"#)
      #expect(listed.result?["items"]?[0]?["version"]?.integer == 3)
      let deleted = try await peer.call("credential.delete", "{\(Self.place)}")
      #expect(deleted.result?["deleted"]?.bool == true)
      let history = try await peer.call("credential.history", "{\(Self.place)}")
      #expect(
        history.result?["items"]?.elements.map { $0["action"]?.string } == ["add", "update", "update", "delete"])
      #expect(history.result?["items"]?[0]?["caller"]?.string == "tests")
      for answer in [added, updated, put, listed, deleted, history] {
        #expect(!answer.text.contains("secret") && !answer.text.contains(Self.secret))
      }
      for (method, more) in [
        ("get", ""), ("update", #","secret":"AA==""#), ("delete", ""),
      ] {
        let missing = try await peer.call("credential.\(method)", "{\(Self.place)\(more)}")
        #expect(missing.reason == "not_found" && missing.code == 1000, "\(method)")
      }
    }
  }

  // MARK: Groups

  @Test func `what is in another group is as if it were not there`() async throws {
    let callers = [
      Self.caller("app", groups: #""web""#, more: #", socket: "app""#),
      Self.caller("ops", groups: #""*", "kith.tokens""#, more: #", socket: "admin""#),
    ]
    try await TestService.with(TestService.Settings(callers: callers)) { services, _ in
      let app = try services[0].connect(to: .app)
      let admin = try services[0].connect(to: .admin)
      defer {
        app.close()
        admin.close()
      }
      for group in ["web", "ops", "Web", "web ", "kith.tokens"] {
        let place = #""access_group":"\#(group)","account":"mira","service":"mail""#
        let added = try await admin.call("credential.add", #"{\#(place),"secret":"AA=="}"#)
        #expect(added.result != nil, "\(group)")
        for (method, more) in [
          ("add", #","secret":"AA==""#), ("put", #","secret":"AA==""#), ("update", #","secret":"AA==""#), ("get", ""),
          ("history", ""), ("delete", ""),
        ] {
          let answer = try await app.call("credential.\(method)", "{\(place)\(more)}")
          // The first of a foreign group says what the first of one's own would, and no more.
          let expected = group != "web" ? "not_found" : method == "add" ? "credential_exists" : nil
          #expect(answer.reason == expected, "\(method) \(group)")
          let never = try await app.call(
            "credential.\(method)", #"{"access_group":"\#(group)x","account":"y","service":"z"\#(more)}"#)
          #expect(
            never.reason == "not_found" && (group == "web" || never.error?["message"] == answer.error?["message"]))
        }
      }
      let all = try await admin.call("credential.list")
      #expect(
        all.result?["items"]?.elements.map { $0["access_group"]?.string } == ["Web", "kith.tokens", "ops", "web "])
      for params in ["{}", #"{"access_group":"ops"}"#] {
        let mine = try await app.call("credential.list", params)
        #expect(mine.result?["items"]?.elements.isEmpty == true)
      }
    }
  }

  @Test func `a star does not stand for what Kith keeps for itself`() async throws {
    try await withPeer { _, peer in
      for group in ["kith.", "kith.tokens", "kith.x"] {
        let place = #""access_group":"\#(group)","account":"mira","service":"mail""#
        let refused = try await peer.call("credential.put", #"{\#(place),"secret":"AA=="}"#)
        #expect(refused.reason == "not_found")
      }
      for group in ["kith", "kithx", "Kith.tokens"] {
        let place = #""access_group":"\#(group)","account":"mira","service":"mail""#
        let added = try await peer.call("credential.put", #"{\#(place),"secret":"AA=="}"#)
        #expect(added.result != nil)
      }
    }
  }

  @Test func `a group that a reload takes away is gone for open connections`() async throws {
    try await withPeer { service, peer in
      _ = try await peer.call("credential.add", #"{\#(Self.place),"secret":"AA=="}"#)
      try await service.reload(Self.settings(#""other""#))
      let gone = try await peer.call("credential.get", "{\(Self.place)}")
      #expect(gone.reason == "not_found")
      try await service.reload(Self.settings(#""web""#))
      let back = try await peer.call("credential.get", "{\(Self.place)}")
      #expect(back.result != nil)
    }
  }

  // MARK: Values

  @Test(.enabled(if: Vectors.has("blns"), Comment(rawValue: Vectors.absence)))
  func `any names are kept as they are`() async throws {
    let strings = try JSONDecoder().decode([String].self, from: Data(try Vectors.bytes("blns/blns.json")))
    try await withPeer { _, peer in
      var keptCount = 0
      for text in strings where !text.isEmpty {
        let name = try json(text)
        let place = #""access_group":"web","account":\#(name),"service":\#(name)"#
        let put = try await peer.call("credential.put", #"{\#(place),"label":\#(name),"secret":"AA=="}"#)
        if text.utf8.count > 255 || text.utf8.contains(0) {
          #expect(["invalid_params", "parse_error"].contains(put.reason), "\(text)")
          continue
        }
        let found = try await peer.call("credential.get", "{\(place)}")
        for member in ["account", "service", "label"] {
          let kept = found.result?["credential"]?[member]?.string
          #expect(kept.map { Array($0.utf8) } == Array(text.utf8), "\(text)")
        }
        keptCount += 1
      }
      #expect(keptCount > 400)
      var after = ""
      var listedCount = 0
      repeat {
        let page = try await peer.call("credential.list", "{\"limit\":7\(after)}")
        listedCount += page.result?["items"]?.elements.count ?? 0
        after = page.result?["next"]?.string.map { ",\"after\":\"\($0)\"" } ?? ""
      } while !after.isEmpty
      #expect(listedCount == Set(strings.filter { !$0.isEmpty && $0.utf8.count <= 255 }.map { Array($0.utf8) }).count)
    }
  }

  @Test func `a secret of 64 KiB is kept and one byte more is refused`() async throws {
    try await withPeer { _, peer in
      let longest = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let put = try await peer.call("credential.put", #"{\#(Self.place),"secret":"\#(longest.base64EncodedString())"}"#)
      #expect(put.result != nil)
      let found = try await peer.call("credential.get", "{\(Self.place)}")
      #expect(found.result?["credential"]?["secret"]?.string == longest.base64EncodedString())
      let longer = (longest + [0]).base64EncodedString()
      for (secret, problem) in [
        (longer, "length"), ("", "empty"), ("AB==", "format"), ("AAB=", "format"), ("AA", "format"), ("AA=", "format"),
        ("AA==\\n", "format"), ("A A=", "format"), ("-_==", "format"), ("====", "format"), ("AAA=AAA=", "format"),
        ("é===", "format"),
      ] {
        for method in ["add", "put", "update"] {
          let answer = try await peer.call("credential.\(method)", #"{\#(Self.place),"secret":"\#(secret)"}"#)
          #expect(answer.reason == "invalid_params" && answer.path == "params.secret", "\(secret.prefix(20))")
          #expect(answer.error?["data"]?["problem"]?.string == problem, "\(secret.prefix(20))")
          #expect(secret.isEmpty || !answer.text.contains(secret))
        }
      }
      let escaped = try await peer.call("credential.put", #"{\#(Self.place),"secret":"\u0041\u0041=="}"#)
      #expect(escaped.result != nil)
    }
  }

  @Test(arguments: [
    (#""label":"\#(String(repeating: "é", count: 513))""#, "label"),
    (#""attributes":{"x":"\#(String(repeating: "x", count: 16_384))"}"#, "attributes"),
    (#""attributes":[]"#, "attributes"),
    (#""expires_at":"2026-11-30""#, "expires_at"), (#""expires_at":"2026-02-30T00:00:00.000Z""#, "expires_at"),
    (#""user_id":"x""#, "user_id"), (#""clear":[]"#, "clear"), (#""clear":["secret"]"#, "clear[0]"),
    (#""label":"x","clear":["label"]"#, "clear"), (#""version":1"#, "version"),
  ])
  func `what breaks a limit is named`(member: String, path: String) async throws {
    try await withPeer { _, peer in
      let answer = try await peer.call("credential.update", "{\(Self.place),\(member)}")
      #expect(answer.reason == "invalid_params" && answer.path == "params.\(path)")
    }
  }

  @Test func `names have 1 to 255 bytes and no zero character`() async throws {
    try await withPeer { _, peer in
      for member in ["access_group", "account", "service"] {
        for (text, reason) in [
          ("", "invalid_params"), (String(repeating: "é", count: 128), "invalid_params"), ("a\\u0000b", "parse_error"),
        ] {
          let place = Self.place.replacing("\"\(member)\":\"web\"", with: "\"\(member)\":\"\(text)\"")
            .replacing("\"\(member)\":\"mira\"", with: "\"\(member)\":\"\(text)\"")
            .replacing("\"\(member)\":\"mail\"", with: "\"\(member)\":\"\(text)\"")
          let answer = try await peer.call("credential.put", #"{\#(place),"secret":"AA=="}"#)
          #expect(answer.reason == reason, "\(member) \(text.prefix(10))")
        }
      }
      let longest = String(repeating: "x", count: 255)
      let place = #""access_group":"\#(longest)","account":"\#(longest)","service":"\#(longest)""#
      let put = try await peer.call("credential.put", #"{\#(place),"secret":"AA=="}"#)
      #expect(put.result != nil)
      _ = try await peer.call("credential.put", #"{\#(Self.place),"secret":"AA=="}"#)
      let first = try await peer.call("credential.list", #"{"limit":1}"#)
      let next = first.result?["next"]?.string ?? ""
      let second = try await peer.call("credential.list", #"{"limit":1,"after":"\#(next)"}"#)
      #expect(second.result?["items"]?[0]?["account"]?.string == longest)
      let bad = try await peer.call("credential.list", #"{"after":"x"}"#)
      #expect(bad.path == "params.after")
    }
  }

  @Test func `a user who is not there is named by path`() async throws {
    try await withPeer { _, peer in
      let user = try await peer.signIn("apple", "s").userID ?? ""
      let put = try await peer.call("credential.put", #"{\#(Self.place),"secret":"AA==","user_id":"\#(user)"}"#)
      #expect(put.result?["credential"]?["user_id"]?.string == user)
      let unknown = try await peer.call(
        "credential.put", #"{\#(Self.place),"secret":"AA==","user_id":"01900000-0000-7000-8000-000000000000"}"#)
      #expect(unknown.reason == "not_found" && unknown.path == "params.user_id")
      let listed = try await peer.call("credential.list", #"{"user_id":"\#(user)"}"#)
      #expect(listed.result?["items"]?.elements.count == 1)
    }
  }

  // MARK: Request keys

  @Test func `a repeat gets the same bytes, also after the credential has gone`() async throws {
    try await TestService.with(Self.settings(), count: 2) { services, database in
      let peers = try services.map { try $0.connect() }
      defer { for peer in peers { peer.close() } }
      let add = #"{\#(Self.place),"secret":"\#(Self.secret)","request_key":"k"}"#
      let original = try await peers[0].call("credential.add", add)
      let delete = #"{\#(Self.place),"request_key":"k"}"#
      let deleted = try await peers[1].call("credential.delete", delete)
      for peer in peers {
        let added = try await peer.call("credential.add", add)
        #expect(added.result == original.result)
        let again = try await peer.call("credential.delete", delete)
        #expect(again.result == deleted.result)
      }
      let other = try await peers[0].call("credential.add", add.replacing(Self.secret, with: "AA=="))
      #expect(other.reason == "request_key_reused")
      // Whoever has the database must not be able to try likely secrets.
      let isPlain = try await database.texts(
        """
        select (parameters_sha256 = any (array[sha256(convert_to($t${"access_group":"web","account":"mira","request_key":"k","secret":"c2VjcmV0","service":"mail"}$t$, 'UTF8'))]))::text
        from kith.request_keys where method = 'credential.add'
        """)
      #expect(isPlain == ["false"])
      let isDeletePlain = try await database.texts(
        """
        select (parameters_sha256 = sha256(convert_to($t${"access_group":"web","account":"mira","request_key":"k","service":"mail"}$t$, 'UTF8')))::text
        from kith.request_keys where method = 'credential.delete'
        """)
      #expect(isDeletePlain == ["true"])
    }
  }

  // MARK: Races

  @Test func `one of many adds wins, and versions have no gap whoever races`() async throws {
    var settings = Self.settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      for peer in peers {
        peer.send(TestPeer.call("credential.add", #"{\#(Self.place),"secret":"AA=="}"#, id: "1"))
      }
      var words: [String: Int] = [:]
      for peer in peers { words[try await peer.answer().reason ?? "added", default: 0] += 1 }
      #expect(words == ["added": 1, "credential_exists": 63])
      for round in 0..<8 {
        for (number, peer) in peers.enumerated() {
          let method = ["add", "put", "update", "delete", "put", "get", "update", "put"][(number + round) % 8]
          let secret = ["get", "delete"].contains(method) ? "" : #","secret":"AA==""#
          peer.send(TestPeer.call("credential.\(method)", "{\(Self.place)\(secret)}", id: "\(round)"))
        }
        for peer in peers {
          let reason = try await peer.answer().reason
          #expect(reason == nil || reason == "credential_exists" || reason == "not_found", "\(reason ?? "")")
        }
      }
      let broken = try await database.count(
        """
        select count(*)::text from (
          select max(version) <> count(*) or min(version) <> 1 as broken from kith.credential_history
          group by credential_id
        ) h where broken
        """)
      #expect(broken == 0)
      // Each lived after the other's end.
      let overlapping = try await database.count(
        """
        select count(*)::text from (
          select credential_id <> lag(credential_id) over (order by seq) and lag(action) over (order by seq) <> 'delete'
            as is_wrong from kith.credential_history
        ) h where is_wrong
        """)
      #expect(overlapping == 0)
    }
  }

  @Test func `repeats at the same time make one version and get its answer or are told that it is being made`()
    async throws
  {
    var settings = Self.settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let peers = try (0..<64).map { try services[$0 % 2].connect() }
      defer { for peer in peers { peer.close() } }
      let put = #"{\#(Self.place),"secret":"AA==","request_key":"k"}"#
      for peer in peers { peer.send(TestPeer.call("credential.put", put, id: "1")) }
      for peer in peers {
        let answer = try await peer.answer()
        #expect(answer.reason == "in_progress" || answer.result?["credential"]?["version"]?.integer == 1)
      }
      #expect(try await database.count("select count(*)::text from kith.credential_history") == 1)
    }
  }

  // MARK: The journal

  @Test func `what was tampered with is internal to the caller, and named in the journal without its account`()
    async throws
  {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var settings = Self.settings()
    settings.journalDescriptor = ends[1]
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.call("credential.add", #"{\#(Self.place),"secret":"\#(Self.secret)"}"#)
      try await database.script("update kith.credentials set version = 2", as: .superuser)
      let answer = try await peer.call("credential.get", "{\(Self.place)}")
      #expect(answer.reason == "internal" && answer.code == -32603)
      let listed = try await peer.call("credential.list")
      #expect(listed.result?["items"]?.elements.count == 1)
    }
    close(ends[1])
    var journal: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(ends[0], &chunk, chunk.count), count > 0 { journal += chunk[..<count] }
    let text = String(decoding: journal, as: UTF8.self)
    #expect(text.contains("sealed_record_invalid: credential "))
    #expect(!text.contains("mira") && !text.contains(Self.secret) && !text.contains("secret"))
  }
}
