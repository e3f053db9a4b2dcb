import TestSupport

/// Several connections, each of which signs people in one after the other as fast as it is answered.
struct SignInLoad: Sendable {
  static let connections = 8

  let ledger: any CallSource
  /// Where the connections go, in turn.
  let paths: [String]

  /// Calls until `body` is through with its fault. A connection that is refused or ended calls no more.
  ///
  /// - Parameter readsToEnd: whether the fault ends every connection by itself, and what was sent on it before is read.
  func run(readsToEnd: Bool = false, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let peers = try (0..<Self.connections).map { try TestPeer(path: paths[$0 % paths.count]) }
    defer { for peer in peers { peer.close() } }
    ledger.answers.open()
    async let calls: Void = callOnAll(peers)
    do {
      try await body()
    } catch {
      for peer in peers { peer.close() }
      throw error
    }
    if !readsToEnd { for peer in peers { peer.close() } }
    await calls
  }

  private func callOnAll(_ peers: [TestPeer]) async {
    await withDiscardingTaskGroup { calls in
      for peer in peers { calls.addTask { await keepCalling(on: peer) } }
    }
    ledger.answers.close()
  }

  private func keepCalling(on peer: TestPeer) async {
    while true {
      let (number, call) = ledger.nextCall()
      peer.send(call.line)
      guard let answer = try? await peer.answer() else { return }
      ledger.note(answer, to: number)
      if answer.reason != nil, ledger.stopsWhenRefused { return }
    }
  }
}
