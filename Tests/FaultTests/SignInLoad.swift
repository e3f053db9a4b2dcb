import TestSupport

/// Several connections, each of which signs people in one after the other as fast as it is answered.
struct SignInLoad: Sendable {
  static let connections = 8

  let ledger: Ledger
  /// Where the connections go, in turn.
  let paths: [String]
  /// Whether a connection goes on after a refusal.
  var goesOnAfterRefusal = false

  /// Calls until `body` is through with its fault, or every connection has ended or was refused.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let peers = try (0..<Self.connections).map { try TestPeer(path: paths[$0 % paths.count]) }
    defer { for peer in peers { peer.close() } }
    try await withThrowingTaskGroup { group in
      group.addTask { try await body() }
      group.addTask {
        await withDiscardingTaskGroup { calls in
          for peer in peers { calls.addTask { await keepCalling(on: peer) } }
        }
        ledger.close()
      }
      try await group.next()
      for peer in peers where goesOnAfterRefusal { peer.close() }
      try await group.waitForAll()
    }
  }

  private func keepCalling(on peer: TestPeer) async {
    while true {
      let (number, call) = ledger.nextCall()
      peer.send(call.line)
      guard let answer = try? await peer.answer() else { return }
      ledger.note(answer, to: number)
      if answer.reason != nil, !goesOnAfterRefusal { return }
    }
  }
}
