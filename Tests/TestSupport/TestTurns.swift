import Synchronization

/// Lets so many tests use PostgreSQL at a time and no more.
///
/// The runner starts all tests at once; on a small machine they would share out the connections and the time limits of one
/// server among hundreds.
final class TestTurns: Sendable {
  static let shared = TestTurns(count: 4)

  private struct State {
    var free: Int
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  private init(count: Int) {
    state = Mutex(State(free: count))
  }

  /// Waits for a turn.
  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiters.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
