/// What many apps that follow the events take from those who sign in.
enum EventFigures {
  /// As many as one caller may have.
  private static let consumers = 100
  private static let clients = 32

  static func tell(
    _ options: BenchOptions, _ measurements: inout Measurements, in report: inout Report
  ) throws(BenchFailure) {
    for load in [Load.known, .registration] {
      var alone: [Measurements.Figures] = []
      var beside: [(calls: Measurements.Figures, consumers: EventConsumers.Outcome)] = []
      for _ in 0..<options.ratioRounds {
        try settle(&measurements)
        alone.append(try measurements.kithd(load, clients: clients, seconds: options.seconds))
        try settle(&measurements)
        beside.append(
          try measurements.kithd(load, clients: clients, seconds: options.seconds, consumers: consumers))
      }
      tell(load, alone, beside, in: &report)
    }
  }

  /// What one measurement leaves to be placed is not the next one's.
  private static func settle(_ measurements: inout Measurements) throws(BenchFailure) {
    _ = try measurements.database.placeEvents()
    try measurements.database.settle()
  }

  private static func tell(
    _ load: Load, _ alone: [Measurements.Figures],
    _ beside: [(calls: Measurements.Figures, consumers: EventConsumers.Outcome)], in report: inout Report
  ) {
    let title = "\(load.title) beside \(consumers) consumers"
    let metric = "\(title): calls/s with \(clients) clients over without (\(Int(alone.map(\.perSecond).median)))"
    Progress.tell(metric)
    report.compare(
      metric, nil, beside.map(\.calls.perSecond).median,
      ratio: zip(beside, alone).map { $0.calls.perSecond / $1.perSecond }.median, bound: .atLeast(0.9, goal: 0.95),
      latency: beside.last?.calls.latency)
    for (name, without, with) in [
      ("database", alone.map(\.databaseMicroseconds), beside.map(\.calls.databaseMicroseconds)),
      ("daemon", alone.map(\.daemonMicroseconds), beside.map(\.calls.daemonMicroseconds)),
    ] {
      report.tell("\(title): \(name) CPU more than without", with.median - without.median, unit: "µs/call")
    }
    report.tell(
      "\(title): CPU of the consumers", beside.map { $0.consumers.cpuSeconds * 1e6 / Double($0.calls.calls) }.median,
      unit: "µs/call")
    guard load != .known else { return }
    report.tell(
      "\(title): all told after the last answer",
      beside.map { Double($0.consumers.toldNanoseconds - $0.calls.endedNanoseconds) / 1e6 }.median, unit: "ms",
      decimals: 0)
  }
}
