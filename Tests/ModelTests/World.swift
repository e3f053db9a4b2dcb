import Synchronization
import TestSupport

/// A few people, addresses and clients of their own, whose calls meet each other and nobody else's.
final class World: Sendable {
  private struct State {
    var names = Names()
    var board = Board()
    var events: [History.Event] = []
    var clock = 0

    mutating func tick() -> Int {
      clock += 1
      return clock
    }
  }

  /// A call under way.
  private struct Begun {
    let call: Call
    let params: String
    let begin: Int
  }

  private let wire: Wire
  private let state = Mutex(State())

  /// - Parameter number: tells it from all others on the same database.
  init(number: Int) { wire = Wire(world: number) }

  /// The ids of all users that were told.
  var userIDs: [String] { state.withLock { state in state.names.all(.user).map { state.names.text($0) } } }

  /// Has each client do its part of the script over a connection of its own, and then looks at everything that was told of.
  func run(_ script: Script, over peers: [TestPeer]) async throws -> History {
    try await withThrowingTaskGroup { group in
      for (client, operations) in script.clients.enumerated() {
        group.addTask { [self] in
          for operation in operations {
            try await perform(client: client, over: peers[client]) { $0.call(for: operation) }
          }
        }
      }
      try await group.waitForAll()
    }
    for call in state.withLock({ Self.looks(at: $0.names) }) {
      try await perform(client: 0, over: peers[0]) { _ in call }
    }
    return History(state.withLock(\.events))
  }

  private static func looks(at names: Names) -> [Call] {
    names.all(.user).map { .findUser($0) } + names.all(.registration).map { .findRegistration($0) }
      + Subject.allCases.map { .findIdentity($0) } + Address.allCases.map { .findHolder($0) }
  }

  private func perform(client: Int, over peer: TestPeer, _ call: (Board) -> Call?) async throws {
    let begun = state.withLock { state in
      call(state.board).map { Begun(call: $0, params: wire.params(of: $0, state.names), begin: state.tick()) }
    }
    guard let begun else { return }
    let answer = try await peer.call(begun.call.method, begun.params)
    state.withLock { state in
      let answer = wire.answer(answer, to: begun.call, &state.names)
      state.board.note(begun.call, answer)
      state.events.append(
        History.Event(client: client, begin: begun.begin, end: state.tick(), begun.call, answer))
    }
  }
}
