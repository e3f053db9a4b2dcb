import Accounts
import TestSupport
import Testing

/// Each limit of the wire at its edge; whoever goes over it is told its name.
struct WireLimitTests {
  @Test func `a line of exactly the limit is read and one byte more is refused and closes`() async throws {
    try await TestService.with(.init(limits: "frame_bytes: 4096")) { services, _ in
      for (ending, bytes, isRead) in [("\n", 4096, true), ("\r\n", 4096, true), ("\n", 4097, false)] {
        let peer = try services[0].connect()
        defer { peer.close() }
        let call = TestPeer.call("system.ping", id: "1")
        peer.send(bytes: Array((call + String(repeating: " ", count: bytes - call.utf8.count) + ending).utf8))
        let answer = try await peer.answer()
        #expect((answer.result != nil) == isRead)
        guard !isRead else { continue }
        #expect(answer.reason == "too_large")
        #expect(answer.limit == "frame_bytes")
        #expect(answer.id == .null)
        #expect(try await peer.untilEnd().isEmpty)
      }
    }
  }

  @Test func `a line over the limit is refused before its end has come`() async throws {
    try await TestService.withPeer(.init(limits: "frame_bytes: 4096")) { _, peer in
      peer.send(bytes: [UInt8](repeating: 0x20, count: 4098))
      let answers = try await peer.untilEnd()
      #expect(answers.map(\.limit) == ["frame_bytes"])
    }
  }

  @Test func `the limits that everybody has are those of the contract`() async throws {
    try await TestService.withPeer { _, peer in
      let limits = try await peer.call("server.status").result?["limits"]
      #expect(limits?["frame_bytes"]?.integer == 1_048_576)
      #expect(limits?["batch_calls"]?.integer == 1000)
      #expect(limits?["nesting"]?.integer == 64)
      #expect(limits?["calls_in_flight"]?.integer == 256)
      #expect(limits?["answer_bytes_queued"]?.integer == 4_194_304)
      #expect(limits?["frame_seconds"]?.integer == 10)
      #expect(limits?["connections_per_uid"]?.integer == 4096)
    }
  }

  @Test func `a message nested 64 deep is read and one 65 deep is refused`() async throws {
    try await TestService.withPeer { _, peer in
      for (depth, isRead) in [(64, true), (65, false)] {
        // The call itself, its parameters and the details are the three outermost values.
        let details = String(repeating: "[", count: depth - 3) + String(repeating: "]", count: depth - 3)
        let answer = try await peer.call(
          "signin.resolve", #"{"provider":"apple","subject":"deep","details":{"a":\#(details)}}"#)
        #expect((answer.limit == "nesting") == !isRead)
        #expect((answer.reason == "too_large") == !isRead)
      }
      #expect(try await peer.call("system.ping").result != nil)
    }
  }

  @Test func `a line that is not complete in time is refused and closes`() async throws {
    try await TestService.withPeer(.init(limits: "frame_seconds: 0.05")) { _, peer in
      peer.send(bytes: Array(#"{"jsonrpc""#.utf8))
      let answer = try await peer.answer()
      #expect(answer.reason == "too_large")
      #expect(answer.limit == "frame_seconds")
      #expect(try await peer.untilEnd().isEmpty)
    }
  }

  @Test func `a connection that says nothing may stay`() async throws {
    try await TestService.withPeer(.init(limits: "frame_seconds: 0.05")) { services, quiet in
      let slow = try services.connect()
      defer { slow.close() }
      slow.send(bytes: [0x7B])
      // By the time the slow one is refused, the quiet one has been there for longer.
      #expect(try await slow.answer().limit == "frame_seconds")
      #expect(try await quiet.call("system.ping").result != nil)
    }
  }

  @Test func `while calls in flight are at their limit reading pauses and nothing is dropped`() async throws {
    try await TestService.with(.init(limits: "calls_in_flight: 4, frame_seconds: 0.05")) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let other = try services[0].connect()
      defer { other.close() }
      let user = try await peer.call("signin.resolve", #"{"provider":"apple","subject":"a"}"#).userID ?? ""
      try await database.holding("select from kith.users for update") {
        for call in 0..<100 {
          peer.send(
            TestPeer.call("user.update", #"{"id":"\#(user)","profile":{"nickname":"n\#(call)"}}"#, id: "\(call)"))
        }
        // A part of a line that has come while reading is paused is nobody's fault.
        peer.send(bytes: Array(#"{"jsonrpc":"2.0","id":100,"#.utf8))
        for _ in 0..<3 {
          // Each takes the time in which a line that is under way is noticed to be late.
          let late = try services[0].connect()
          defer { late.close() }
          late.send(bytes: [0x7B])
          #expect(try await late.answer().limit == "frame_seconds")
        }
        #expect(try await other.call("system.ping").result != nil)
      }
      peer.send(bytes: Array(#""method":"system.ping"}"#.utf8) + [0x0A])
      let answers = try await peer.answers(101)
      #expect(Set(answers.compactMap(\.id?.integer)) == Set(0...100))
      #expect(answers.allSatisfy { $0.result != nil })
    }
  }

  @Test func `a line that is late because its sender is slow to read answers is waited for`() async throws {
    func limits(frameSeconds: Double) -> TestService.Settings {
      .init(limits: "answer_bytes_queued: 65536, frame_seconds: \(frameSeconds)")
    }
    try await TestService.with(limits(frameSeconds: 3600)) { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      let other = try services[0].connect()
      defer { other.close() }
      let words = String(repeating: "x", count: 16_000)
      let user = try await peer.signIn("apple", "a", nil, verified: nil, #""details":{"a":"\#(words)"}"#).userID ?? ""
      peer.readSlowly()
      // All have begun and the line after them is read in part before the first is answered, which takes the database.
      let calls = (0..<100).map {
        TestPeer.call("user.get", #"{"id":"\#(user)","include":["profile"]}"#, id: "\($0)") + "\n"
      }
      peer.send(bytes: Array((calls.joined() + #"{"jsonrpc":"2.0","id":100,"#).utf8))
      while try await answered("user.get", asSeenBy: other) < 100 {}
      // More than the kernel keeps for whoever does not read: a part stays in the sender's hands.
      let rest = String(repeating: " ", count: 1_000_000) + #""method":"system.ping"}"#
      peer.send(rest)
      try await services[0].reload(limits(frameSeconds: 0.05))
      let late = try services[0].connect()
      defer { late.close() }
      late.send(bytes: [0x7B])
      #expect(try await late.answer().limit == "frame_seconds")
      try await services[0].reload(limits(frameSeconds: 3600))
      peer.resumeReading()
      let answers = try await peer.answers(101)
      #expect(Set(answers.compactMap(\.id?.integer)) == Set(0...100))
      #expect(answers.allSatisfy { $0.result != nil })
    }
  }

  private func answered(_ method: String, asSeenBy other: TestPeer) async throws -> Double {
    let text = try await other.call("server.metrics").result?["text"]?.string
    return try OpenMetrics(text ?? "")[#"kith_calls_total{method="\#(method)",outcome="ok"}"#] ?? 0
  }

  @Test func `who reads gets all answers, however much more they are than may wait`() async throws {
    try await TestService.withPeer(.init(limits: "answer_bytes_queued: 65536")) { _, peer in
      // A long document each: first as one line, then as the answers of one turn, then both.
      let calls = (0..<8).map { TestPeer.call("rpc.discover", id: "\($0)") }
      let batch = "[\(calls.joined(separator: ","))]"
      peer.send(batch)
      #expect(try await peer.answer().json.elements.count == calls.count)
      peer.send(calls.joined(separator: "\n"))
      #expect(Set(try await peer.answers(calls.count).compactMap(\.id?.integer)) == Set(0..<8))
      for _ in 0..<3 { peer.send(batch + "\n" + calls[..<6].joined(separator: "\n")) }
      let answers = try await peer.answers(21)
      #expect(answers.map(\.json.elements.count).filter { $0 == calls.count }.count == 3)
      #expect(try await peer.call("system.ping").result != nil)
    }
  }

  @Test func `who reads no answers is closed at the limit and others are served`() async throws {
    try await TestService.with(.init(limits: "answer_bytes_queued: 65536")) { services, _ in
      let greedy = try services[0].connect()
      defer { greedy.close() }
      greedy.pauseReading()
      // A document of some ten thousand bytes each.
      for call in 0..<1000 { greedy.send(TestPeer.call("rpc.discover", id: "\(call)")) }
      let other = try services[0].connect()
      defer { other.close() }
      try await closed(1, of: other)
      greedy.resumeReading()
      #expect(try await greedy.untilEnd().count < 1000)
    }
  }

  @Test func `who asks little by little and reads nothing is closed at the limit too`() async throws {
    try await TestService.with(.init(limits: "answer_bytes_queued: 65536")) { services, _ in
      let greedy = try services[0].connect()
      defer { greedy.close() }
      greedy.pauseReading()
      let other = try services[0].connect()
      defer { other.close() }
      var call = 0
      while try await isOpen(greedy, asSeenBy: other) {
        call += 1
        greedy.send(TestPeer.call("rpc.discover", id: "\(call)"))
      }
      greedy.resumeReading()
      // What the kernel holds for a socket and the limit are together far less than a hundred documents.
      #expect(try await greedy.untilEnd().count < 100)
    }
  }

  private func isOpen(_: TestPeer, asSeenBy other: TestPeer) async throws -> Bool {
    try await other.call("server.status").result?["connections"]?.integer == 2
  }

  /// Returns when only the given connection, and as many as are told, are left.
  private func closed(_ left: Int, of peer: TestPeer) async throws {
    while try await peer.call("server.status").result?["connections"]?.integer != left {}
  }

  @Test func `a connection over the limit of its uid is told so and closed`() async throws {
    try await TestService.with(.init(limits: "connections_per_uid: 3")) { services, _ in
      var peers: [TestPeer] = []
      for _ in 0..<3 {
        let peer = try services[0].connect()
        #expect(try await peer.call("system.ping").result != nil)
        peers.append(peer)
      }
      defer { for peer in peers { peer.close() } }
      let fourth = try services[0].connect(to: .admin)
      let answer = try await fourth.call("system.ping")
      #expect(answer.reason == "too_many")
      #expect(answer.limit == "connections_per_uid")
      #expect(try await fourth.untilEnd().isEmpty)
      fourth.close()
      peers.removeLast().close()
      try await closed(2, of: peers[0])
      let again = try services[0].connect()
      #expect(try await again.call("system.ping").result != nil)
      again.close()
    }
  }
}
