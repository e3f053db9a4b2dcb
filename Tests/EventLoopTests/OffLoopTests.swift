import Dispatch
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct OffLoopTests {
  private struct Refusal: Error, Equatable {
    let number: Int
  }

  @Test func `what blocks is done elsewhere while the loop turns, and its caller is on the loop again`() async throws {
    try await RunningLoop.with { loop in
      let wasRight = await Task(executorPreference: loop) {
        let gate = DispatchSemaphore(value: 0)
        // Comes to its turn only if the loop does not wait.
        loop.perform { gate.signal() }
        let wasOnLoop = await loop.offLoop {
          gate.wait()
          return loop.isCurrent
        }
        return !wasOnLoop && loop.isCurrent
      }.value
      #expect(wasRight)
    }
  }

  @Test func `it may be asked for from elsewhere, and an error comes back as it is`() async throws {
    try await RunningLoop.with { loop in
      #expect(await loop.offLoop { 42 } == 42)
      await #expect(throws: Refusal(number: 7)) {
        try await loop.offLoop { () throws(Refusal) -> Int in throw Refusal(number: 7) }
      }
    }
  }

  @Test func `more than there are threads are all done`() async throws {
    try await RunningLoop.with { loop in
      let total = await withTaskGroup(of: Int.self) { group in
        for number in 0..<1000 { group.addTask(executorPreference: loop) { await loop.offLoop { number } } }
        return await group.reduce(0, +)
      }
      #expect(total == 1000 * 999 / 2)
    }
  }

  @Test func `a loop that stops waits for what is under way`() async throws {
    let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isDone = Flag()
    let loop = try EventLoop()
    try loop.start(name: "test-loop")
    // Not waited for: a task that comes back to a loop that has ended waits for ever.
    loop.perform {
      Task(executorPreference: loop) {
        await loop.offLoop {
          began.signal()
          gate.wait()
          isDone.raise()
        }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        began.wait()
        loop.stop()
        gate.signal()
        continuation.resume()
      }
    }
    await loop.stopAndWait()
    #expect(isDone.isRaised)
  }
}

private final class Flag: Sendable {
  private let state = Mutex(false)

  var isRaised: Bool { state.withLock { $0 } }

  func raise() { state.withLock { $0 = true } }
}
