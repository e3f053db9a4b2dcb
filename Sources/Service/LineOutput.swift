import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Lines on their way to a descriptor, written by one thread beside everybody else's, so that nobody waits for who reads them.
///
/// A pipe that is full and not read holds up that thread alone. What does not fit into the queue meanwhile is dropped, counted
/// and told in its place once lines flow again. A reader that is gone is told nothing more.
public final class LineOutput: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var bytes = 0
    /// Lines dropped since the last one in `lines`, and how to tell that.
    var dropped = 0
    var notice: @Sendable (Int) -> String = { _ in "" }
    var isDraining = false
  }

  private let descriptor: Int32
  private let waitingBytesMax: Int
  private let state = Mutex(State())
  /// A loop for its thread alone. A queue of Dispatch would do, but its threads ask for a priority, which the unit's limits
  /// forbid, and say so in the journal at every start.
  private let writer: EventLoop

  /// - Parameters:
  ///   - descriptor: stays its owner's, and open while there are lines.
  ///   - waitingBytesMax: some ten thousand lines unless said otherwise, more than a start or a bad minute brings.
  public init(descriptor: Int32, waitingBytesMax: Int = 1 << 20) throws(EventLoopError) {
    self.descriptor = descriptor
    self.waitingBytesMax = waitingBytesMax
    writer = try EventLoop()
    try writer.start(name: "kith-log")
  }

  deinit { writer.stop() }

  /// Leaves a line to be written soon, and never waits.
  ///
  /// - Parameters:
  ///   - line: with its end.
  ///   - notice: the line to write when this one, and so many in all, had to be dropped.
  public func write(_ line: String, notice: @escaping @Sendable (Int) -> String) {
    let bytes = Array(line.utf8)
    let isFirst = state.withLock { state in
      // Once one is dropped the next ones are, too, until the notice has its place between them.
      if state.dropped == 0, state.bytes + bytes.count <= waitingBytesMax {
        state.lines.append(bytes)
        state.bytes += bytes.count
      } else {
        state.dropped += 1
        state.notice = notice
      }
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { writer.perform { [self] in drain() } }
  }

  /// Waits until everything left so far is written.
  ///
  /// - Returns: whether it was within that time.
  @discardableResult
  public func finish(withinMilliseconds patience: Int) -> Bool {
    let done = DispatchSemaphore(value: 0)
    writer.perform { done.signal() }
    return done.wait(timeout: .now() + .milliseconds(patience)) == .success
  }

  private func drain() {
    while let taken = take() {
      // One call a line, so that lines of several processes do not mix.
      for line in taken.lines { put(line) }
      if taken.dropped > 0 { put(Array(taken.notice(taken.dropped).utf8)) }
    }
  }

  private func take() -> State? {
    state.withLock { state in
      let taken = state
      state = State()
      guard !taken.lines.isEmpty || taken.dropped > 0 else { return nil }
      state.isDraining = true
      return taken
    }
  }

  private func put(_ line: [UInt8]) {
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Somebody who shares the descriptor made it non-blocking.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}
