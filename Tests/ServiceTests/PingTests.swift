import TestSupport
import Testing

struct PingTests {
  @Test func `a ping is answered`() async throws {
    try await TestService.with { _, peer in
      let answer = try await peer.call("system.ping")
      #expect(answer.result != nil)
    }
  }
}
