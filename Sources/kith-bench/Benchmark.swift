import Foundation

/// One run: loads people, and measures pgbench and the daemon in turn on the same database.
struct Benchmark {
  private static let clientCounts = [1, 2, 4, 8, 16, 32]
  /// Pairs of measurements, of which the medians count: the machine is rarely quiet.
  private static let pairs = 3
  private static let idleConnections = 1000
  private static let starts = 5

  private let options: Options
  private let daemon: DaemonUnderTest
  private let pgbench: Pgbench
  private var serial = 0
  private var run = 0

  init(_ options: Options, daemon: DaemonUnderTest) throws {
    self.options = options
    self.daemon = daemon
    pgbench = try Pgbench(daemon: daemon)
  }

  mutating func measure() throws -> Report {
    try load()
    var report = Report()
    try measureAtRest(&report)
    for workload in Workload.allCases { try measureRates(workload, &report) }
    try measureLatency(&report)
    try measureStarts(&report)
    return report
  }

  private func load() throws {
    print("loading \(options.users) users")
    try pgbench.psql(People.loading(options.users))
    try pgbench.psql("vacuum analyze; checkpoint;", user: "postgres")
  }

  // MARK: Rates

  private mutating func measureRates(_ workload: Workload, _ report: inout Report) throws {
    print("\n\(workload.rawValue)")
    let best = try bestClients(workload)
    var pgbenchRates: [Double] = []
    var kithRates: [Double] = []
    for _ in 0..<(options.isQuick ? 1 : Self.pairs) {
      pgbenchRates.append(try pgbenchRate(workload, clients: best))
      kithRates.append(try kithFigures(workload, clients: 32).callsPerSecond)
    }
    report.add(
      rate: "\(workload.rawValue), 32 clients", pgbench: median(pgbenchRates), kith: median(kithRates),
      least: workload == .known ? 1.0 : 0.7, wanted: workload == .register ? 2.0 : 1.5)
    for clients in Self.clientCounts where !options.isQuick || clients == 8 {
      let figures = try kithFigures(workload, clients: clients, prints: true)
      guard workload == .known, clients == 8 else { continue }
      report.add(
        figure: "known identity, 8 clients, p99.9", figures.histogram.microseconds(percentile: 99.9) / 1000, "ms",
        most: 2, wanted: 1)
    }
  }

  /// The number of clients at which pgbench is fastest.
  private mutating func bestClients(_ workload: Workload) throws -> Int {
    var best = (clients: 32, rate: 0.0)
    for clients in Self.clientCounts where !options.isQuick || clients >= 16 {
      let rate = try pgbenchRate(workload, clients: clients)
      print("  pgbench  \(clients) clients  \(Int(rate))/s")
      if rate > best.rate { best = (clients, rate) }
    }
    return best.clients
  }

  private mutating func pgbenchRate(_ workload: Workload, clients: Int) throws -> Double {
    run += 1
    return try pgbench.run(
      workload, users: options.users, run: run, clients: clients, seconds: options.seconds
    ).transactionsPerSecond
  }

  private mutating func kithFigures(
    _ workload: Workload, clients: Int, prints: Bool = false
  ) throws -> LoadGenerator.Figures {
    let generator = try LoadGenerator(socketPath: daemon.appSocket, connections: clients)
    defer { generator.close() }
    let daemonBefore = ProcessFigures.processorSeconds(of: daemon.id)
    let databaseBefore = databaseSeconds()
    let figures = generator.run(workload, users: options.users, seconds: options.seconds, serial: &serial)
    guard figures.failures == 0 else {
      throw Program.Failure(description: "\(figures.failures) calls failed: \(figures.firstFailure ?? "")")
    }
    guard prints else { return figures }
    let calls = Double(figures.histogram.count)
    let daemonTime = (ProcessFigures.processorSeconds(of: daemon.id) - daemonBefore) / calls * 1e6
    let databaseTime = (databaseSeconds() - databaseBefore) / calls * 1e6
    let percentiles = [50, 99, 99.9].map { "p\($0) \(Int(figures.histogram.microseconds(percentile: $0))) µs" }
    print(
      "  kithd    \(clients) clients  \(Int(figures.callsPerSecond))/s  \(percentiles.joined(separator: "  "))"
        + "  cpu a call: kithd \(Report.two(daemonTime)) µs, PostgreSQL \(Report.two(databaseTime)) µs")
    return figures
  }

  private func databaseSeconds() -> Double {
    daemon.databaseProcesses.reduce(0) { $0 + ProcessFigures.processorSeconds(of: $1) }
  }

  // MARK: One client

  private mutating func measureLatency(_ report: inout Report) throws {
    print("\none client, in pairs")
    var pairs: [(pgbench: Double, kith: Double)] = []
    for _ in 0..<(options.isQuick ? 1 : 5) {
      run += 1
      let pgbench = try pgbench.run(
        .known, users: options.users, run: run, clients: 1, seconds: options.seconds, logsLatencies: true
      ).histogram.microseconds(percentile: 50)
      let kith = try kithFigures(.known, clients: 1).histogram.microseconds(percentile: 50)
      print("  p50: pgbench \(Int(pgbench)) µs, kithd \(Int(kith)) µs, ratio \(Report.two(kith / pgbench))")
      pairs.append((pgbench, kith))
    }
    let middle = pairs.sorted { $0.kith / $0.pgbench < $1.kith / $1.pgbench }[pairs.count / 2]
    report.add(latency: "known identity, 1 client, p50", pgbench: middle.pgbench, kith: middle.kith, most: 2.5, wanted: 1.5)
  }

  // MARK: Memory and starts

  private func measureAtRest(_ report: inout Report) throws {
    daemon.stop()
    try daemon.start()
    let atRest = ProcessFigures.residentKiB(of: daemon.id)
    report.add(figure: "memory at rest", Double(atRest) / 1024, "MiB", most: 60, wanted: 30)
    let idle = try LoadGenerator(socketPath: daemon.appSocket, connections: Self.idleConnections)
    defer { idle.close() }
    // Accepted in order: when a later connection is answered, all of these are there.
    let last = try LoadGenerator(socketPath: daemon.appSocket, connections: 1)
    defer { last.close() }
    var serial = 0
    _ = last.run(.known, users: options.users, seconds: 0, serial: &serial)
    let withIdle = ProcessFigures.residentKiB(of: daemon.id)
    report.add(
      figure: "memory per idle connection", Double(withIdle - atRest) / Double(Self.idleConnections), "KiB", most: 24,
      wanted: 8)
  }

  private func measureStarts(_ report: inout Report) throws {
    var times: [Double] = []
    for _ in 0..<Self.starts {
      daemon.stop()
      times.append(try daemon.start())
    }
    report.add(
      figure: "ready after start, its PostgreSQL included", median(times), "s", most: 0.5, wanted: 0.15)
  }

  private func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}
