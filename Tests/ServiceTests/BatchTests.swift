import TestSupport
import Testing

/// Several calls on one line.
struct BatchTests {
  private func ping(_ id: Int) -> String { TestPeer.call("system.ping", id: "\(id)") }

  private let notification = #"{"jsonrpc":"2.0","method":"system.ping"}"#

  @Test func `a mixed batch is answered by one array with an answer for each but the notifications`() async throws {
    try await TestService.withPeer { _, peer in
      peer.send(#"[\#(ping(1)),\#(notification),1,{"foo":"bar"},\#(TestPeer.call("no.such", id: #""x""#))]"#)
      let answers = try await peer.answer().json.elements.map { WireAnswer($0) }
      #expect(answers.count == 4)
      #expect(answers.filter { $0.id == .null }.map(\.code) == [-32600, -32600])
      #expect(answers.first { $0.id == .string("x") }?.code == -32601)
      #expect(answers.first { $0.id == .number("1") }?.result != nil)
    }
  }

  @Test func `a batch of notifications and a single notification are not answered`() async throws {
    try await TestService.withPeer { _, peer in
      peer.send("[\(notification),\(notification)]")
      peer.send(notification)
      peer.send(#"{"jsonrpc":"2.0","method":"no.such"}"#)
      peer.send(#"{"jsonrpc":"2.0","method":"system.ping","params":[1]}"#)
      let first = try await peer.call("system.ping")
      #expect(first.id == .number("1"))
    }
  }

  @Test func `an empty batch is one invalid request`() async throws {
    try await TestService.withPeer { _, peer in
      peer.send("[]")
      let answer = try await peer.answer()
      #expect(answer.reason == "invalid_request")
      #expect(answer.id == .null)
    }
  }

  @Test func `a batch of 1000 is answered completely and one of 1001 is refused`() async throws {
    try await TestService.withPeer { _, peer in
      for count in [1000, 1001] {
        peer.send("[\((0..<count).map(ping).joined(separator: ","))]")
        let answer = try await peer.answer()
        if count == 1000 {
          #expect(Set(answer.json.elements.compactMap { $0["id"]?.integer }) == Set(0..<count))
        } else {
          #expect(answer.reason == "too_many")
          #expect(answer.limit == "batch_calls")
        }
      }
    }
  }

  @Test func `a batch larger than the calls in flight that are allowed is answered completely`() async throws {
    try await TestService.withPeer(.init(limits: "calls_in_flight: 7")) { _, peer in
      let calls = (0..<1000).map { call in
        TestPeer.call("signin.resolve", #"{"provider":"apple","subject":"s\#(call % 50)"}"#, id: "\(call)")
      }
      peer.send("[\(calls.joined(separator: ","))]")
      peer.send(ping(1000))
      let answers = try await peer.answers(2)
      let batch = answers.first { !$0.json.elements.isEmpty }?.json.elements.map { WireAnswer($0) } ?? []
      #expect(Set(batch.compactMap(\.id?.integer)) == Set(0..<1000))
      #expect(Set(batch.map(\.word)) == ["registered", "signed_in"])
      #expect(batch.filter { $0.outcome == "registered" }.count == 50)
    }
  }
}
