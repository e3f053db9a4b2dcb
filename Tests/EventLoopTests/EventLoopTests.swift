import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct EventLoopTests {
  /// Lends a loop that runs on a thread of its own.
  private func withLoop<Value>(_ body: (EventLoop) async throws -> Value) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "test-loop")
    defer { loop.stop() }
    return try await body(loop)
  }

  @Test func `a task that prefers the loop is on its thread after every wait`() async throws {
    try await withLoop { loop in
      let misses = await Task(executorPreference: loop) {
        var misses = loop.isCurrent ? 0 : 1
        for _ in 0..<100 {
          await Task.yield()
          if !loop.isCurrent { misses += 1 }
          _ = await Task.detached { 1 }.value
          if !loop.isCurrent { misses += 1 }
        }
        return misses
      }.value
      #expect(misses == 0)
      #expect(!loop.isCurrent)
    }
  }

  @Test func `ten thousand tasks from many threads all run`() async throws {
    try await withLoop { loop in
      let total = await withTaskGroup(of: Int.self) { group in
        for number in 0..<10_000 { group.addTask(executorPreference: loop) { number } }
        return await group.reduce(0, +)
      }
      #expect(total == 10_000 * 9999 / 2)
    }
  }

  /// Notes in which order things happened on the loop.
  private final class Order: EndOfTurn, @unchecked Sendable {
    var notes: [String] = []
    let done: () -> Void
    init(_ done: @escaping () -> Void) { self.done = done }
    func turnEnded() {
      notes.append("end")
      done()
    }
  }

  @Test func `what is put off to the end of the turn comes after the turn's other work`() async throws {
    try await withLoop { loop in
      let notes = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
        loop.perform {
          var order: Order?
          order = Order { continuation.resume(returning: order?.notes ?? []) }
          guard let order else { return }
          loop.atEndOfTurn(order)
          Task(executorPreference: loop) { order.notes.append("job") }
          order.notes.append("first")
        }
      }
      #expect(notes == ["first", "job", "end"])
    }
  }

  @Test func `a timer calls when its time has come and not after it is cancelled`() async throws {
    try await withLoop { loop in
      let fired = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
        loop.perform {
          nonisolated(unsafe) var fired: [String] = []
          nonisolated(unsafe) var timers: [LoopTimer] = []
          timers.append(LoopTimer(on: loop, afterMilliseconds: 1, everyMilliseconds: 1) { fired.append("again") })
          timers.append(LoopTimer(on: loop, afterMilliseconds: 5) { fired.append("cancelled") })
          timers[1].cancel()
          timers.append(
            LoopTimer(on: loop, afterMilliseconds: 30) {
              timers.removeAll()
              continuation.resume(returning: fired)
            })
        }
      }
      #expect(fired.count > 2)
      #expect(!fired.contains("cancelled"))
    }
  }

  @Test func `a signal is told on the loop`() async throws {
    try await withLoop { loop in
      let wasOnLoop = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        loop.perform {
          nonisolated(unsafe) var signal: LoopSignal?
          signal = try? LoopSignal(on: loop, number: SIGUSR2) {
            signal?.cancel()
            continuation.resume(returning: loop.isCurrent)
          }
          kill(getpid(), SIGUSR2)
        }
      }
      #expect(wasOnLoop)
    }
  }

  @Test func `a watch tells when a pipe can be read`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { for end in [reading, writing] { close(end) } }
    try await withLoop { loop in
      let byte = await withCheckedContinuation { (continuation: CheckedContinuation<UInt8, Never>) in
        loop.perform {
          nonisolated(unsafe) var watch: DescriptorWatch?
          watch = try? DescriptorWatch(on: loop, descriptor: reading) { readiness in
            guard readiness.contains(.readable) else { return }
            var byte: UInt8 = 0
            read(reading, &byte, 1)
            watch?.close()
            continuation.resume(returning: byte)
          }
          watch?.watch(for: .readable)
          var byte: UInt8 = 42
          write(writing, &byte, 1)
        }
      }
      #expect(byte == 42)
    }
  }

  @Test func `a loop that waits takes no processor time`() async throws {
    try await withLoop { loop in
      func threadMicroseconds() -> Int {
        var usage = rusage()
        // RUSAGE_THREAD, which the C library's module leaves out.
        getrusage(__rusage_who_t(1), &usage)
        return Int(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
          + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
      }
      let used = await Task(executorPreference: loop) {
        let before = threadMicroseconds()
        await loop.pause(milliseconds: 200)
        return threadMicroseconds() - before
      }.value
      #expect(used < 20_000)
    }
  }
}
