import EventLoop
import Glibc
import Terminal

/// Does something when the person presses Ctrl-C, or the process is told to end, instead of ending it at once.
///
/// `@unchecked Sendable`: its signals are made and let go of on the loop's thread only.
final class Interruption: @unchecked Sendable {
  private let loop: EventLoop
  private var signals: [LoopSignal] = []

  /// - Parameter action: done on a thread of its own.
  init(_ action: @escaping @Sendable () -> Void) throws(CommandFailure) {
    do throws(EventLoopError) {
      loop = try EventLoop()
      try loop.start(name: "kith-signals")
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
    loop.perform { [self] in
      signals = [SIGINT, SIGTERM].compactMap { try? LoopSignal(on: loop, number: $0, action) }
    }
  }

  /// Signals have their ordinary effect again.
  func end() {
    loop.perform { [self] in
      signals = []
      loop.stop()
    }
  }
}
