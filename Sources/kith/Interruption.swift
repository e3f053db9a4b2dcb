import EventLoop
import Glibc
import Synchronization
import Terminal

/// Does something when the person presses Ctrl-C, or the process is told to end, instead of ending it at once.
///
/// `@unchecked Sendable`: its signals are made and let go of on the loop's thread only.
final class Interruption: @unchecked Sendable {
  private struct State {
    var wasAsked = false
    var action: (@Sendable () -> Void)?
  }

  private let loop: EventLoop
  private let state = Mutex(State())
  private var signals: [LoopSignal] = []

  /// From its return on no signal ends the process.
  init() async throws(CommandFailure) {
    do throws(EventLoopError) {
      loop = try EventLoop()
      try loop.start(name: "kith-signals")
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.perform { [self] in
        signals = [SIGINT, SIGTERM].compactMap { number in
          try? LoopSignal(on: loop, number: number) { [self] in takeSignal() }
        }
        continuation.resume()
      }
    }
  }

  /// Says what is to be done.
  ///
  /// - Parameter action: done on a thread of its own, or at once if the signal has come already.
  func then(_ action: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      state.action = action
      return state.wasAsked
    }
    if isDue { action() }
  }

  private func takeSignal() {
    let action = state.withLock { state in
      state.wasAsked = true
      return state.action
    }
    action?()
  }

  /// Returns when signals have their ordinary effect again and the thread is gone.
  func end() async {
    loop.perform { [self] in signals = [] }
    await loop.stopAndWait()
  }
}
