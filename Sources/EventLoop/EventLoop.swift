import CLibUV
import Glibc
import Synchronization

/// One thread that waits for input with libuv and runs Swift tasks between waits.
///
/// A task that prefers this executor runs on the loop's thread, so code that serves one connection touches that
/// connection's state without locks and without hopping between threads. A *turn* is one wait together with everything it
/// brought about; work that pays when gathered (database batches, answers) is put off to the end of the turn with
/// ``atEndOfTurn(_:)``.
///
/// Unless said otherwise a method is to be called on the loop's thread; ``enqueue(_:)``, ``perform(_:)``, ``stop()`` and
/// ``stopAndWait()`` may be called from anywhere.
///
/// `@unchecked Sendable`: what other threads may touch is in `foreign`, behind its mutex, and `wakeUp`, which libuv allows
/// from any thread; `thread` is written once, before the thread's first job; everything else is touched by the loop's
/// thread alone.
public final class EventLoop: TaskExecutor, SerialExecutor, @unchecked Sendable {
  let handle: UnsafeMutablePointer<uv_loop_t>
  private let wakeUp: UnsafeMutablePointer<uv_async_t>
  private let beforeWait: UnsafeMutablePointer<uv_prepare_t>

  private struct Foreign {
    var jobs: [UnownedJob] = []
    var actions: [@Sendable () -> Void] = []
    var stopping = false
    var closed = false
    /// Whether the loop's thread has left the loop, and who waits for that.
    var ended = false
    var whenEnded: [UnsafeContinuation<Void, Never>] = []
  }
  private let foreign = Mutex(Foreign())
  private let thread = Atomic<UInt>(0)

  /// Where whoever reads on this loop may read into; what is in it is valid until the next read.
  public let readBuffer: UnsafeMutableRawBufferPointer
  /// Enough for a long pipeline of calls in one read; there is one such buffer for all connections of the loop.
  private static let readBufferBytes = 65_536

  private var jobs: [UnownedJob] = []
  private var endOfTurn: [any EndOfTurn] = []
  /// Those being told; apart from `endOfTurn` so that both keep their memory from turn to turn.
  private var ending: [any EndOfTurn] = []
  /// Whether libuv has made the loop and not yet taken it down.
  private var isMade = false

  /// Makes a loop; ``run()`` starts it.
  public init() throws(EventLoopError) {
    handle = .allocate(capacity: 1)
    wakeUp = .allocate(capacity: 1)
    beforeWait = .allocate(capacity: 1)
    readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
    try EventLoopError.check(uv_loop_init(handle))
    isMade = true
    try EventLoopError.check(
      uv_async_init(handle, wakeUp) { async in
        EventLoop.from(async?.pointee.data)?.takeForeignWork()
      })
    try EventLoopError.check(uv_prepare_init(handle, beforeWait))
    let me = Unmanaged.passUnretained(self).toOpaque()
    wakeUp.pointee.data = me
    beforeWait.pointee.data = me
    try EventLoopError.check(
      uv_prepare_start(beforeWait) { prepare in
        EventLoop.from(prepare?.pointee.data)?.finishTurn()
      })
  }

  deinit {
    if isMade { takeDown() }
    wakeUp.deallocate()
    beforeWait.deallocate()
    handle.deallocate()
    readBuffer.deallocate()
  }

  /// Starts the loop on a thread of its own, which ends after ``stop()``.
  ///
  /// - Parameter name: what tools show for the thread; at most 15 bytes.
  public func start(name: String) throws(EventLoopError) {
    let context = Unmanaged.passRetained(ThreadStart(loop: self, name: name))
    var id = pthread_t()
    let result = pthread_create(&id, nil, ThreadStart.main, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw EventLoopError(code: -result)
    }
    pthread_detach(id)
  }

  /// Turns on the calling thread until ``stop()``.
  public func run() {
    thread.store(UInt(pthread_self()), ordering: .releasing)
    uv_run(handle, UV_RUN_DEFAULT)
    foreign.withLock { $0.closed = true }
    takeForeignWork()
    // Nothing is left behind: what waits for these jobs would wait for ever.
    while hasWork { finishTurn() }
    takeDown()
    thread.store(0, ordering: .releasing)
    let waiting = foreign.withLock { state in
      state.ended = true
      defer { state.whenEnded = [] }
      return state.whenEnded
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Makes ``run()`` return once the current turn is over. Descriptors and timers still open are watched no more.
  ///
  /// A task that prefers this loop and waits then, or comes to it later, waits for ever: end the tasks first.
  public func stop() {
    tell { $0.stopping = true }
  }

  /// Like ``stop()``, and returns when nothing runs on the loop any more. Not to be called on the loop itself.
  public func stopAndWait() async {
    stop()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let hasEnded = foreign.withLock { state in
        if !state.ended { state.whenEnded.append(continuation) }
        return state.ended
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// Whether the caller is on the loop's thread.
  public var isCurrent: Bool {
    thread.load(ordering: .acquiring) == UInt(pthread_self())
  }

  /// Monotonic milliseconds, as of the start of this turn.
  public var nowMilliseconds: UInt64 { uv_now(handle) }

  /// Runs `action` on the loop's thread, soon. May be called from any thread.
  public func perform(_ action: @escaping @Sendable () -> Void) {
    tell { $0.actions.append(action) }
  }

  /// Has `observer` told once, when everything else of this turn is done, or as much of it as one turn may do.
  public func atEndOfTurn(_ observer: any EndOfTurn) {
    endOfTurn.append(observer)
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      jobs.append(job)
      return
    }
    tell { $0.jobs.append(job) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func checkIsolated() {
    precondition(isCurrent, "called off the loop's thread")
  }

  // MARK: Turns

  /// Leaves something for the loop's thread and wakes it. The loop cannot be taken down in between, because it must be alive
  /// when it is woken.
  private func tell(_ leave: (inout Foreign) -> Void) {
    foreign.withLock { state in
      guard !state.closed else { return }
      leave(&state)
      uv_async_send(wakeUp)
    }
  }

  private func takeForeignWork() {
    let work = foreign.withLock { state in
      let taken = state
      state.jobs = []
      state.actions = []
      return taken
    }
    jobs.append(contentsOf: work.jobs)
    for action in work.actions { action() }
    if work.stopping { uv_stop(handle) }
  }

  /// Jobs and observers that one turn runs at most, so that work that makes ever more work keeps neither input nor timers
  /// waiting for longer than some milliseconds. A turn full of calls stays below it.
  private static let turnStepsMax = 4096

  private var hasWork: Bool { !jobs.isEmpty || !endOfTurn.isEmpty }

  /// Runs jobs, then what was put off, until neither is left, for only then may the loop wait; or until it was enough for one
  /// turn, and then the loop looks for input without waiting.
  private func finishTurn() {
    var steps = 0
    while hasWork {
      guard steps < Self.turnStepsMax else {
        uv_async_send(wakeUp)
        return
      }
      var next = 0
      while next < jobs.count, steps < Self.turnStepsMax {
        let job = jobs[next]
        next += 1
        steps += 1
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      if next == jobs.count { jobs.removeAll(keepingCapacity: true) } else { jobs.removeFirst(next) }
      swap(&endOfTurn, &ending)
      for observer in ending { observer.turnEnded() }
      steps += ending.count
      ending.removeAll(keepingCapacity: true)
    }
  }

  private func takeDown() {
    uv_walk(
      handle,
      { open, _ in
        if uv_is_closing(open) == 0 { uv_close(open, nil) }
      }, nil)
    // More than once, because a stop asked for meanwhile ends the first.
    while uv_run(handle, UV_RUN_DEFAULT) != 0 {}
    uv_loop_close(handle)
    isMade = false
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> EventLoop? {
    data.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Something that gathers work during a turn and does it at the turn's end.
public protocol EndOfTurn: AnyObject {
  func turnEnded()
}

/// A call to libuv or the system that failed, as a negative `errno`.
public struct EventLoopError: Error, CustomStringConvertible {
  public let code: Int32

  public init(code: Int32) {
    self.code = code
  }

  static func check(_ result: Int32) throws(EventLoopError) {
    if result < 0 { throw EventLoopError(code: result) }
  }

  public var description: String { String(cString: uv_strerror(code)) }
}

private final class ThreadStart {
  let loop: EventLoop
  let name: String

  init(loop: EventLoop, name: String) {
    self.loop = loop
    self.name = name
  }

  static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    pthread_setname_np(pthread_self(), start.name)
    start.loop.run()
    return nil
  }
}
