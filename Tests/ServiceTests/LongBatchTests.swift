import TestSupport
import Testing

/// Batches whose answers are more than a peer takes in one go.
@Suite(.timeLimit(.minutes(5))) struct LongBatchTests {
  private static func batch(_ number: Int = 0, of calls: Int) -> String {
    "[" + (0..<calls).map { TestPeer.call("rpc.discover", id: "\(number * 1000 + $0)") }.joined(separator: ",") + "]"
  }

  @Test func `calls of a batch begin only as far as its answers are read`() async throws {
    try await TestService.with(.init(limits: "answer_bytes_queued: 262144")) { services, _ in
      let greedy = try (0..<8).map { _ in try services[0].connect() }
      defer { for peer in greedy { peer.close() } }
      for peer in greedy {
        peer.pauseReading()
        peer.send(Self.batch(of: 120))
      }
      let other = try services[0].connect()
      defer { other.close() }
      // As many turns as it takes to have begun all of them.
      for _ in 0..<50 { #expect(try await other.call("system.ping").result != nil) }
      let metrics = try await other.call("server.metrics").result?["text"]?.string ?? ""
      let begun = metrics.split(separator: "\n").filter { $0.contains("rpc.discover") && $0.contains("_total") }
        .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
      #expect(begun > 0 && begun < greedy.count * 120 / 4, "\(begun)")
    }
  }

  @Test func `whoever reads gets every line whole, however many long ones are under way`() async throws {
    try await TestService.withPeer(.init(limits: "answer_bytes_queued: 65536")) { _, peer in
      for number in 0..<3 {
        peer.send(Self.batch(number, of: 30))
        peer.send(TestPeer.call("system.ping", id: "\(number * 1000 + 999)"))
      }
      let answers = try await Self.answers(ofLines: 6, to: peer)
      #expect(Set(answers.compactMap { $0.id?.integer }).count == 3 * 31)
      #expect(answers.allSatisfy { $0.result != nil })
      #expect(try await peer.call("system.ping").result != nil)
    }
  }

  private static func answers(ofLines count: Int, to peer: TestPeer) async throws -> [WireAnswer] {
    try await peer.lines(count).flatMap { line in
      let json = try WireJSON(line)
      guard case .array(let answers) = json else { return [WireAnswer(json)] }
      return answers.map { WireAnswer($0) }
    }
  }
}
