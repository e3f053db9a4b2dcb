import CLinux
import Glibc
import Synchronization

/// Consumers of events on a thread of their own, so that what they take of the processor can be told.
///
/// `@unchecked Sendable`: `goal` apart, everything is touched before the thread begins, by the thread, and after it has ended.
final class EventConsumers: @unchecked Sendable {
  struct Outcome {
    /// Processor time of all of them.
    let cpuSeconds: Double
    /// When the last of them was told the last event.
    let toldNanoseconds: Int
  }

  private static let waitMilliseconds: Int32 = 20
  /// Who is told nothing for so long, and has not everything, is told nothing any more.
  private static let silenceNanoseconds = 10_000_000_000
  private static let notYet = -1
  private static let nothing = -2

  private let consumers: [EventConsumer]
  private let poll: Int32
  /// The place where it ends.
  private let goal = Atomic(EventConsumers.notYet)
  private var thread = pthread_t()
  private var failure: BenchFailure?
  private var cpuNanoseconds = 0

  /// Begins to follow what happens from now on.
  init(_ count: Int, socket: String) throws(BenchFailure) {
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    var consumers: [EventConsumer] = []
    for index in 0..<count {
      let consumer = try EventConsumer("app\(index)", socket: socket)
      consumer.beWatched(by: poll, as: index)
      consumers.append(consumer)
    }
    self.consumers = consumers
    let own = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { own in
        if let own { Unmanaged<EventConsumers>.fromOpaque(own).takeRetainedValue().run() }
        return nil
      }, own.toOpaque())
    guard result == 0 else {
      own.release()
      throw .system("a thread", code: result)
    }
  }

  /// Waits until each has been told everything up to a place, and has acknowledged it.
  func finish(at place: Int) throws(BenchFailure) -> Outcome {
    end(at: place)
    if let failure { throw failure }
    return Outcome(
      cpuSeconds: Double(cpuNanoseconds) / 1e9, toldNanoseconds: consumers.map(\.toldNanoseconds).max() ?? 0)
  }

  /// Ends it in the middle.
  func abandon() { end(at: Self.nothing) }

  private func end(at place: Int) {
    goal.store(place, ordering: .releasing)
    pthread_join(thread, nil)
    for consumer in consumers { consumer.close() }
    close(poll)
  }

  private func run() {
    do throws(BenchFailure) {
      try follow()
    } catch {
      failure = error
    }
    cpuNanoseconds = MonotonicTime.processorNanosecondsOfThread()
  }

  private func follow() throws(BenchFailure) {
    var events = [epoll_event](repeating: epoll_event(), count: consumers.count)
    var heardNanoseconds = MonotonicTime.nanoseconds()
    while !isOver {
      try Interruption.check()
      let ready = epoll_wait(poll, &events, Int32(events.count), Self.waitMilliseconds)
      for event in events.prefix(max(0, Int(ready))) {
        let consumer = consumers[Int(event.data.u32)]
        try consumer.read()
        try consumer.acknowledgeIfDue()
      }
      let now = MonotonicTime.nanoseconds()
      if ready > 0 {
        heardNanoseconds = now
      } else {
        for consumer in consumers { try consumer.acknowledgeIfDue() }
        guard goal.load(ordering: .acquiring) < 0 || now - heardNanoseconds < Self.silenceNanoseconds else {
          throw BenchFailure("a consumer is not told everything")
        }
      }
    }
  }

  private var isOver: Bool {
    let goal = goal.load(ordering: .acquiring)
    return goal == Self.nothing || (goal >= 0 && consumers.allSatisfy { $0.isDone(at: goal) })
  }
}
