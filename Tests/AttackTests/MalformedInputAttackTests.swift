import TestSupport
import Testing

/// Row 27: whatever comes in, the daemon fails closed, says why, and goes on.
struct MalformedInputAttackTests {
  @Test func `a provider that is not configured is refused`() async throws {
    var settings = TestService.Settings()
    settings.namespaces = [#"{ provider: "apple", tenant: "TEAM000001" }"#]
    try await TestService.withPeer(settings) { _, peer in
      for provider in ["linkedin", "naver", "password", "Apple", "apple ", "google", "*"] {
        let answer = try await peer.signIn(provider, "s", "mira@example.org", verified: true)
        #expect(answer.reason == "namespace_unknown" || answer.reason == "invalid_params", "\(provider)")
      }
    }
  }

  @Test(.enabled(if: Vectors.has("blns"), Comment(rawValue: Vectors.absence)))
  func `naughty strings come back byte for byte or are refused by name`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let texts = try WireJSON(try Vectors.bytes("blns/blns.json")).elements.compactMap(\.string)
      #expect(texts.count >= 500)
      for (number, text) in texts.enumerated() {
        let quoted = Self.quoted(text)
        let members = [
          (#""subject":\#(quoted)"#, ["identity", "subject"]),
          (#""nickname":\#(quoted)"#, ["user", "profile", "nickname"]),
          (#""name":{"given":\#(quoted)}"#, ["user", "profile", "name", "given"]),
          (#""name":{"full":\#(quoted)}"#, ["user", "profile", "name", "full"]),
          (#""email":\#(quoted)"#, ["identity", "email"]),
        ]
        for (place, (member, path)) in members.enumerated() {
          let subject = place == 0 ? "" : #""subject":"n\#(number)-\#(place)","#
          let answer = try await peer.call(
            "signin.resolve", #"{"provider":"apple",\#(subject)\#(member),"include":["profile"]}"#)
          if let result = answer.result {
            let value = path.reduce(result) { $0?[$1] }?.string
            #expect(value.map { Array($0.utf8) } == Array(text.utf8), "\(member)")
          } else {
            #expect(answer.reason == "invalid_params", "\(member) \(answer.text)")
          }
        }
        for (method, params) in [("user.search", #"{"query":\#(quoted)}"#), ("user.get", #"{"email":\#(quoted)}"#)] {
          let answer = try await peer.call(method, params)
          #expect(answer.result != nil || ["invalid_params", "not_found"].contains(answer.reason), "\(answer.text)")
        }
      }
      try await database.expectConsistency()
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20:
        "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  @Test func `twenty thousand mutated lines are each answered with a typed error or a result`() async throws {
    let seed: UInt64 = 20_261_130
    try await TestService.with { services, _ in
      var random = SeededRandom(seed: seed)
      var peer = try services[0].connect()
      for round in 0..<200 {
        let lines = (0..<100).map { _ in FrameMutation.line(&random) }
        // Newlines that a mutation made end lines too; the mark tells when all are answered.
        let mark = "mark \(round)"
        for line in lines { peer.send(bytes: line + [0x0A]) }
        peer.send(TestPeer.call("system.ping", id: "\"\(mark)\""))
        var answered = 0
        while let line = try await peer.line() {
          let answer = try WireAnswer(line: line)
          if answer.id == .string(mark), answer.result != nil { break }
          answered += 1
          for single in answer.json.elements.isEmpty ? [answer] : answer.json.elements.map({ WireAnswer($0) }) {
            #expect(single.result != nil || single.reason != nil, "seed \(seed)")
            #expect(single.reason != "internal", "seed \(seed): \(single.text)")
          }
        }
        #expect(answered > 0, "seed \(seed)")
      }
      peer.close()
      peer = try services[0].connect()
      #expect(try await peer.call("system.ping").result != nil)
      peer.close()
    }
  }
}
