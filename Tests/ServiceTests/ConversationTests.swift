import Accounts
import JSON
import TestSupport
import Testing

/// How calls and answers travel: ids, line ends, pieces, order and ends.
struct ConversationTests {
  @Test func `an id comes back exactly as it was given`() async throws {
    let ids = [
      "1.0", "1e2", "-0", "0.10", "1E+400", "123456789012345678901234567890", "-9223372036854775809", "null",
      #""""#, #""1""#, #""a\"b\\c\/d""#, #""\u00e9""#, #""é""#, #""\ud83d\ude00""#, #""😀""#, #""\u2028\n\t""#,
      "\"" + String(repeating: "x", count: 10_000) + "\"",
    ]
    try await TestService.withPeer { _, peer in
      for id in ids {
        for method in ["system.ping", "no.such"] {
          peer.send(TestPeer.call(method, id: id))
          let answer = try await peer.answer()
          #expect(answer.text.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#), "\(id)")
          #expect((answer.result != nil) == (method == "system.ping"))
        }
      }
    }
  }

  @Test func `an id of another kind is an invalid request`() async throws {
    try await TestService.withPeer { _, peer in
      for id in ["true", "[1]", "{}"] {
        peer.send(TestPeer.call("system.ping", id: id))
        let answer = try await peer.answer()
        #expect(answer.reason == "invalid_request")
        #expect(answer.id == .null)
      }
    }
  }

  @Test func `lines may end with a carriage return and may come in any pieces`() async throws {
    try await TestService.withPeer { _, peer in
      let line = Array((TestPeer.call("system.ping", id: #""é""#) + "\r\n").utf8)
      for split in 0...line.count {
        peer.send(bytes: Array(line[..<split]))
        peer.send(bytes: Array(line[split...]))
      }
      let answers = try await peer.answers(line.count + 1)
      #expect(answers.allSatisfy { $0.result != nil && $0.id == .string("é") })
      for byte in line { peer.send(bytes: [byte]) }
      let last = try await peer.answer()
      #expect(last.result != nil)
    }
  }

  @Test func `ten thousand calls sent at once are all answered`() async throws {
    try await TestService.withPeer(.init(limits: "calls_in_flight: 64")) { _, peer in
      let calls = (0..<10_000).map { call in
        call % 10 == 0
          ? TestPeer.call("signin.resolve", #"{"provider":"apple","subject":"s\#(call % 100)"}"#, id: "\(call)")
          : TestPeer.call("system.ping", id: "\(call)")
      }
      peer.send(calls.joined(separator: "\n"))
      let answers = try await peer.answers(10_000)
      #expect(Set(answers.compactMap(\.id?.integer)) == Set(0..<10_000))
      #expect(answers.allSatisfy { $0.result != nil })
    }
  }

  @Test func `who ends one direction still gets every answer and then the end`() async throws {
    try await TestService.withPeer(.init(limits: "calls_in_flight: 8")) { _, peer in
      for call in 0..<500 {
        peer.send(TestPeer.call("signin.resolve", #"{"provider":"apple","subject":"s\#(call)"}"#, id: "\(call)"))
      }
      peer.finishSending()
      let answers = try await peer.untilEnd()
      #expect(Set(answers.compactMap(\.id?.integer)) == Set(0..<500))
      #expect(answers.allSatisfy { $0.outcome == "registered" })
    }
  }

  @Test func `a connection that ends within a line is told so`() async throws {
    try await TestService.withPeer { _, peer in
      peer.send(bytes: Array(TestPeer.call("system.ping", id: "1").utf8))
      peer.finishSending()
      let answers = try await peer.untilEnd()
      #expect(answers.map(\.reason) == ["parse_error"])
      #expect(answers.first?.id == .null)
    }
  }

  @Test func `texts that readers understand differently are parse errors`() async throws {
    try await TestService.withPeer { _, peer in
      let texts = [
        #"{"jsonrpc":"2.0","id":1,"id":2,"method":"system.ping"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"system.ping","params":{"a":1,"\u0061":2}}"#,
        #"{"jsonrpc":"2.0","id":"\ud800","method":"system.ping"}"#,
        #"{"jsonrpc":"2.0","id":"\u0000","method":"system.ping"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"system.ping",}"#, "", " ", "\u{FEFF}{}",
      ]
      for text in texts {
        peer.send(text)
        let answer = try await peer.answer()
        #expect(answer.reason == "parse_error", "\(text)")
        #expect(answer.code == -32700)
        #expect(answer.id == .null)
      }
      peer.send(
        bytes: Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xFF] + Array(#"","method":"system.ping"}"#.utf8) + [0x0A])
      let answer = try await peer.answer()
      #expect(answer.reason == "parse_error")
    }
  }

  @Test func `requests that are no calls are invalid and keep their id where it can be read`() async throws {
    try await TestService.withPeer { _, peer in
      let requests = [
        #"{"id":7,"method":"system.ping"}"#, #"{"jsonrpc":"1.0","id":7,"method":"system.ping"}"#,
        #"{"jsonrpc":2.0,"id":7,"method":"system.ping"}"#, #"{"jsonrpc":"2.0","id":7,"method":1}"#,
        #"{"jsonrpc":"2.0","id":7}"#, #"{"jsonrpc":"2.0","id":7,"method":"system.ping","params":"bar"}"#,
        #"{"jsonrpc":"2.0","id":7,"method":"system.ping","parameters":{}}"#,
      ]
      for request in requests {
        peer.send(request)
        let answer = try await peer.answer()
        #expect(answer.code == -32600, "\(request)")
        #expect(answer.id == .number("7"), "\(request)")
      }
    }
  }

  @Test(.enabled(if: Vectors.has("jsonrpc"), Comment(rawValue: Vectors.absence)))
  func `the examples of the specification are answered by their kind`() async throws {
    try await TestService.withPeer { _, peer in
      let examples = try WireJSON(try Vectors.bytes("jsonrpc/spec-examples.json"))
      for example in examples.elements {
        guard let text = example["send"]?.string else { continue }
        peer.send(text.split(separator: "\n").joined(separator: " "))
        // So that the place of a missing answer is known.
        peer.send(TestPeer.call("system.ping", id: #""after""#))
        let first = try await peer.answer()
        let isAnswered = first.id != .string("after")
        #expect(isAnswered == (example["expect"] != .null), "\(text)")
        guard isAnswered, let expected = example["expect"] else { continue }
        let after = try await peer.answer()
        #expect(after.id == .string("after"))
        Self.compare(first.json, with: expected)
      }
    }
  }

  /// The daemon has none of the example's methods: where a result is expected the method is not found.
  private static func compare(_ answer: WireJSON, with expected: WireJSON) {
    if case .array(let answers) = expected {
      #expect(answer.elements.count == answers.count)
      for expected in answers where expected["id"] != .null {
        #expect(answer.elements.contains { $0["id"] == expected["id"] })
      }
      #expect(
        answer.elements.count { $0["error"]?["code"]?.integer == -32600 }
          == answers.count { $0["error"]?["code"]?.integer == -32600 })
      return
    }
    #expect(answer["id"] == expected["id"])
    #expect(answer["error"]?["code"]?.integer == expected["error"]?["code"]?.integer ?? -32601)
  }
}
