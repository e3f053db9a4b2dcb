import TestSupport
import Testing

/// What becomes of calls when the daemon is told to stop.
@Suite(.timeLimit(.minutes(5))) struct StopTests {
  @Test func `what comes while the daemon finishes its calls is refused and not dropped`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let user = try await peer.signIn("apple", "mira").userID ?? ""
      let stop = try await database.holding("select from kith.users for update") {
        peer.send(TestPeer.call("user.disable", #"{"id":"\#(user)","reason":"r"}"#, id: "1"))
        // Its answer tells that the call before it is under way.
        _ = try await peer.call("system.ping")
        let stop = Task { await services[0].stop() }
        // Nobody is let in any more once the stop has begun.
        while let probe = try? services[0].connect() {
          // Ended, if it was let in before.
          _ = try? await probe.call("system.ping")
          probe.close()
        }
        peer.send((2...9).map { TestPeer.call("system.ping", id: "\($0)") }.joined(separator: "\n"))
        // The call under way is not answered before.
        await peer.handedOver()
        return stop
      }
      let answers = try await peer.untilEnd()
      // Those that came before the worker was told are served.
      #expect(Set(answers.compactMap(\.id?.integer)).isSuperset(of: 1...9))
      #expect(answers.allSatisfy { $0.result != nil || $0.reason == "shutting_down" })
      await stop.value
    }
  }
}
