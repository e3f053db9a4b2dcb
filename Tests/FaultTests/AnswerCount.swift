import Synchronization

/// How many answers came, for who waits for so many more before something breaks.
final class AnswerCount: Sendable {
  private struct State {
    var count = 0
    /// Whether anybody still calls.
    var isOpen = false
    var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  /// Somebody calls from now on.
  func open() { state.withLock { $0.isOpen = true } }

  func add() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count += 1
      guard let waiter = state.waiter, state.count >= waiter.count else { return nil }
      state.waiter = nil
      return waiter.continuation
    }
    waiter?.resume()
  }

  /// Returns once so many more calls are answered, or when nobody calls any more.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.isOpen { state.waiter = (state.count + count, continuation) }
        return state.isOpen
      }
      if !isOpen { continuation.resume() }
    }
  }

  /// Nobody calls any more.
  func close() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      state.isOpen = false
      return state.waiter?.continuation
    }
    waiter?.resume()
  }
}
