import EventLoop
import Glibc
import TestSupport
import Testing

/// Work that makes ever more work on its own loop keeps nothing else waiting.
@Suite struct FairnessTests {
  /// Far more turns of the work than fit into the moment that everything else needs.
  private static let patience = 20_000_000

  /// What makes work again and again, until it is told to stop or its patience is over.
  enum Work: CaseIterable {
    /// A task that gives way to the others, which are none.
    case yieldingTask
    /// Tasks that start their successors.
    case chainOfTasks
    /// One that wants to be told at the end of the turn, each time it is told.
    case endOfTurn
  }

  /// What has to come through meanwhile.
  enum Event: CaseIterable {
    case timer
    case input
    case actionFromElsewhere
    case taskFromElsewhere
  }

  @Test(arguments: Work.allCases, Event.allCases)
  func `a loop that is kept busy by its own work sees everything else`(_ work: Work, _ event: Event) async throws {
    try await RunningLoop.with { loop in
      let busy = Busy(loop, patience: Self.patience)
      async let outcome = busy.run(work)
      for await _ in busy.begun { break }
      try await Self.bringAbout(event, of: busy)
      #expect(await outcome == .interrupted)
    }
  }

  @Test func `what was begun before a stop is done, however much it is`() async throws {
    let loop = try EventLoop()
    let busy = Busy(loop, patience: 100_000)
    loop.perform {
      loop.stop()
      Task(executorPreference: loop) { await busy.yield() }
    }
    loop.run()
    #expect(busy.outcome == .ranOut)
  }

  private static func bringAbout(_ event: Event, of busy: Busy) async throws {
    let loop = busy.loop
    switch event {
    case .timer:
      await loop.pause(milliseconds: 1)
      busy.interrupt()
    case .input:
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (reading, writing) = (ends[0], ends[1])
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        loop.perform {
          nonisolated(unsafe) var watch: DescriptorWatch?
          watch = try? DescriptorWatch(on: loop, descriptor: reading) { _ in
            watch?.close()
            busy.interrupt()
            continuation.resume()
          }
          watch?.watch(for: .readable)
          close(writing)
        }
      }
      close(reading)
    case .actionFromElsewhere:
      loop.perform { busy.interrupt() }
    case .taskFromElsewhere:
      await Task(executorPreference: loop) { busy.interrupt() }.value
    }
  }
}

/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread, or when that has ended.
private final class Busy: EndOfTurn, @unchecked Sendable {
  enum Outcome { case interrupted, ranOut }

  let loop: EventLoop
  private(set) var outcome: Outcome?
  private var patience: Int
  private var isInterrupted = false
  private var hasBegun = false
  /// Tells once the work keeps the loop busy.
  let begun: AsyncStream<Void>
  private let teller: AsyncStream<Void>.Continuation
  private var done: CheckedContinuation<Outcome, Never>?

  init(_ loop: EventLoop, patience: Int) {
    self.loop = loop
    self.patience = patience
    (begun, teller) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  func interrupt() { isInterrupted = true }

  func run(_ work: FairnessTests.Work) async -> Outcome {
    await withCheckedContinuation { continuation in
      loop.perform { [self] in
        done = continuation
        switch work {
        case .yieldingTask: Task(executorPreference: loop) { await self.yield() }
        case .chainOfTasks: startNext()
        case .endOfTurn: loop.atEndOfTurn(self)
        }
      }
    }
  }

  func yield() async {
    while goesOn() { await Task.yield() }
  }

  private func startNext() {
    guard goesOn() else { return }
    Task(executorPreference: loop) { self.startNext() }
  }

  func turnEnded() {
    if goesOn() { loop.atEndOfTurn(self) }
  }

  private func goesOn() -> Bool {
    if !hasBegun { teller.yield() }
    hasBegun = true
    patience -= 1
    guard isInterrupted || patience == 0 else { return true }
    let outcome: Outcome = isInterrupted ? .interrupted : .ranOut
    self.outcome = outcome
    done?.resume(returning: outcome)
    done = nil
    return false
  }
}
