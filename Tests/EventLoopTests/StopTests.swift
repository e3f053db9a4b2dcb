import Dispatch
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct StopTests {
  @Test func `a loop may be stopped before it runs, twice, and when it is over`() throws {
    let loop = try EventLoop()
    loop.stop()
    loop.stop()
    loop.run()
    loop.stop()
    loop.perform { Issue.record("the loop is over") }
    #expect(!loop.isCurrent)
  }

  @Test func `what was asked for before the stop is still done`() throws {
    let loop = try EventLoop()
    let kept = Kept()
    loop.perform {
      kept.words.append("action")
      loop.stop()
      Task(executorPreference: loop) { kept.words.append("job") }
    }
    loop.run()
    #expect(kept.words == ["action", "job"])
  }

  @Test func `a loop may be stopped while threads keep calling it`() async throws {
    for _ in 0..<100 {
      try await RunningLoop.with { loop in
        for _ in 0..<4 {
          DispatchQueue.global().async {
            for _ in 0..<200 { loop.perform {} }
          }
        }
      }
    }
  }

  @Test func `what is still open when the loop stops may be used and closed later`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let reader = ends[0]
    let kept = Kept()
    try await RunningLoop.with { loop in
      try await withTaskExecutorPreference(loop) { () async throws in
        let watch = try DescriptorWatch(on: loop, descriptor: reader) { _ in }
        watch.watch(for: .readable)
        kept.watch = watch
        kept.timer = LoopTimer(on: loop, afterMilliseconds: 60_000) {}
      }
    }
    kept.watch?.watch(for: [])
    kept.watch?.watch(for: [.readable, .writable])
    kept.watch?.close()
    kept.timer?.cancel()
    close(reader)
    close(ends[1])
  }

  @Test func `a signal that cannot be caught is refused`() async throws {
    try await RunningLoop.with { loop in
      await withTaskExecutorPreference(loop) {
        #expect(throws: EventLoopError.self) { _ = try LoopSignal(on: loop, number: SIGKILL) {} }
      }
    }
  }

  @Test func `loops leave no descriptor behind, whether they ran or not`() async {
    await #expect(processExitsWith: .success) {
      try await Self.useLoops(1)
      let before = OpenDescriptors.count
      try await Self.useLoops(50)
      // The runner of the test may open a few of its own meanwhile.
      #expect(OpenDescriptors.count < before + 10)
    }
  }

  private static func useLoops(_ count: Int) async throws {
    for _ in 0..<count {
      _ = try EventLoop()
      let kept = Kept()
      try await RunningLoop.with { loop in
        try await withTaskExecutorPreference(loop) { () async throws in
          kept.signal = try LoopSignal(on: loop, number: SIGUSR2) {}
          kept.timer = LoopTimer(on: loop, afterMilliseconds: 60_000) {}
          await loop.pause(milliseconds: 1)
        }
      }
    }
  }
}

/// Things of a loop that outlive it.
///
/// `@unchecked Sendable`: the test looks at it only after the loop's thread has ended.
private final class Kept: @unchecked Sendable {
  var watch: DescriptorWatch?
  var timer: LoopTimer?
  var signal: LoopSignal?
  var words: [String] = []
}
