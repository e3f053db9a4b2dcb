import CLinux
import Glibc

/// Clients of the daemon on one thread, each a connection with one call in flight at a time.
struct LoadGenerator {
  struct Outcome {
    let perSecond: Double
    /// All that were answered, also after time was up.
    let calls: Int
    let latency: LatencyHistogram
    /// The texts of what was planned.
    let plans: [[UInt8]]
    /// When the last was answered.
    let endedNanoseconds: Int
  }

  /// A daemon that says nothing for so long has failed.
  private static let silenceMilliseconds: Int32 = 10_000

  private let clients: [Client]
  private let poll: Int32
  private let load: Load
  private var template: CallTemplate
  private var latency = LatencyHistogram()
  private var inFlight = 0
  private var answers = 0
  private var plans: [[UInt8]] = []

  /// Calls for `seconds`, or as often as there is something to do, then waits for the answers that are due.
  ///
  /// - Parameter plans: what merges carry out.
  /// - Throws: when any answer is not the expected one.
  static func run(
    _ load: Load, _ range: LoadRange, plans: [[UInt8]] = [], clients: Int, seconds: Double?, socket: String
  ) throws(BenchFailure) -> Outcome {
    var generator = try LoadGenerator(load, CallTemplate(load, range, plans: plans), clients: clients, socket: socket)
    defer { generator.close() }
    return try generator.run(seconds: seconds)
  }

  private init(_ load: Load, _ template: CallTemplate, clients count: Int, socket: String) throws(BenchFailure) {
    self.load = load
    self.template = template
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    var clients: [Client] = []
    for index in 0..<count {
      let client = try Client(socket)
      client.beWatched(by: poll, as: index)
      clients.append(client)
    }
    self.clients = clients
  }

  private func close() {
    for client in clients { client.close() }
    Glibc.close(poll)
  }

  private mutating func run(seconds: Double?) throws(BenchFailure) -> Outcome {
    let start = MonotonicTime.nanoseconds()
    let end = seconds.map { start + Int($0 * 1e9) } ?? .max
    for client in clients { try send(by: client) }
    var now = start
    while now < end, inFlight > 0 {
      try takeAnswers(callingAgain: true)
      now = MonotonicTime.nanoseconds()
    }
    let inTime = answers
    while inFlight > 0 { try takeAnswers(callingAgain: false) }
    return Outcome(
      perSecond: Double(inTime) / (Double(now - start) / 1e9), calls: answers, latency: latency, plans: plans,
      endedNanoseconds: MonotonicTime.nanoseconds())
  }

  private mutating func takeAnswers(callingAgain: Bool) throws(BenchFailure) {
    var failure: BenchFailure?
    let ready = withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: clients.count) { events in
      let count = epoll_wait(poll, events.baseAddress, Int32(events.count), Self.silenceMilliseconds)
      for index in 0..<max(0, Int(count)) where failure == nil {
        do throws(BenchFailure) {
          try takeAnswer(of: clients[Int(events[index].data.u32)], callingAgain: callingAgain)
        } catch {
          failure = error
        }
      }
      return count
    }
    if let failure { throw failure }
    try Interruption.check()
    if ready == 0 { throw BenchFailure("kithd has not answered for \(Self.silenceMilliseconds / 1000) s") }
  }

  private mutating func takeAnswer(of client: Client, callingAgain: Bool) throws(BenchFailure) {
    guard try client.readAnswer() else { return }
    latency.add(nanoseconds: MonotonicTime.nanoseconds() - client.sentAt)
    inFlight -= 1
    answers += 1
    guard client.answerHolds(load.outcome) else {
      throw BenchFailure("kithd answered without \(load.outcome): \(client.answer)")
    }
    if load == .plan, let plan = client.answerText(of: "plan_token") { plans.append(plan) }
    if callingAgain { try send(by: client) }
  }

  private mutating func send(by client: Client) throws(BenchFailure) {
    guard template.advance() else {
      if load.isCounted { return }
      throw BenchFailure("there are not enough users to link: load more")
    }
    inFlight += 1
    try client.send(template.line)
  }
}
