import Glibc

/// The order of things: a private cluster with users, pgbench and the daemon in turns, then memory and start.
struct Benchmark {
  private let options: BenchOptions
  private let site: BenchSite
  private var measurements: Measurements
  private var report = Report()

  static func run(_ options: BenchOptions) throws(BenchFailure) -> Report {
    raiseDescriptorLimit()
    let folder = try WorkFolder()
    defer { folder.remove() }
    let site = try BenchSite(in: folder)
    let daemon = try DaemonProcess(site.embeddedDaemon)
    let report: Report
    do throws(BenchFailure) {
      var benchmark = try Benchmark(options, site, daemon: daemon)
      try benchmark.warmUp()
      for part in BenchOptions.Part.allCases where options.measures(part) { try benchmark.measure(part) }
      report = benchmark.report
    } catch {
      daemon.stop()
      throw error
    }
    daemon.stop()
    guard options.measures(.rest) else { return report }
    var rest = RestFigures(options: options, site: site, report: report)
    try rest.measure()
    return rest.report
  }

  private init(_ options: BenchOptions, _ site: BenchSite, daemon: DaemonProcess) throws(BenchFailure) {
    self.options = options
    self.site = site
    let programs = try PostgresPrograms(in: site.folder, socketFolder: site.databaseSocketFolder)
    let database = try BenchDatabase(programs)
    print(try Surroundings.text(options, programs))
    let start = MonotonicTime.seconds()
    try database.load(users: options.users)
    Progress.tell("loaded \(options.users) users in \(Int(MonotonicTime.seconds() - start)) s")
    measurements = Measurements(
      users: options.users, programs: programs, database: database, daemon: daemon.program.id,
      server: try site.serverProcess(), socket: site.socket)
  }

  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }

  private mutating func measure(_ part: BenchOptions.Part) throws(BenchFailure) {
    switch part {
    case .calls: try measureCalls()
    case .sealed: try measureSealedCalls()
    case .merges: try MergeFigures.tell(options, &measurements, in: &report)
    case .consumers: try EventFigures.tell(options, &measurements, in: &report)
    case .rest:
      try SealingFigures.tell(in: &report)
      try measureStartBeside()
    }
  }

  // MARK: Calls

  private mutating func measureCalls() throws(BenchFailure) {
    try compareLatency()
    for (load, bound) in [
      (Load.known, Report.Bound.atLeast(1.0, goal: 1.5)), (.link, .atLeast(0.7, goal: 1.5)),
      (.registration, .atLeast(0.7, goal: 2.0)),
    ] {
      if load != .known { try measurements.database.settle() }
      let best = try sweep(load)
      try compareBest(load, pgbench: best, bound)
    }
  }

  private mutating func warmUp() throws(BenchFailure) {
    _ = try measurements.kithd(.known, clients: 32, seconds: options.seconds / 2)
    _ = try measurements.pgbench(.known, clients: 8, seconds: options.seconds / 2)
  }

  /// One client each, in turns, because the machine itself swings.
  private mutating func compareLatency() throws(BenchFailure) {
    var rounds: [(pgbench: LatencyHistogram, kithd: LatencyHistogram)] = []
    for _ in 0..<options.latencyRounds {
      let pgbench = try measurements.pgbench(
        .known, clients: 1, threads: 1, seconds: options.latencySeconds, keepsLatency: true)
      let kithd = try measurements.kithd(.known, clients: 1, seconds: options.latencySeconds)
      rounds.append((pgbench.latency, kithd.latency))
      Progress.tell(
        "known identity, 1 client: p50 \(Int(pgbench.latency.microseconds(at: 0.5))) µs and "
          + "\(Int(kithd.latency.microseconds(at: 0.5))) µs")
    }
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
      let pgbench = rounds.map { $0.pgbench.microseconds(at: share) }
      let kithd = rounds.map { $0.kithd.microseconds(at: share) }
      report.compare(
        "known identity, 1 client: \(name) µs", pgbench.median, kithd.median,
        ratio: zip(kithd, pgbench).map { $0 / max($1, 1) }.median,
        bound: share == 0.5 ? .atMost(2.5, goal: 1.5) : nil)
    }
  }

  /// - Returns: the clients and threads with which pgbench did most.
  private mutating func sweep(_ load: Load) throws(BenchFailure) -> (clients: Int, threads: Int) {
    var best = (clients: 1, threads: 1, perSecond: 0.0)
    for clients in options.clientCounts {
      var here = 0.0
      for threads in load == .known && clients > 1 && !options.isQuick ? [1, 2] : [2] {
        let pgbench = try measurements.pgbench(load, clients: clients, threads: threads, seconds: options.seconds)
        here = max(here, pgbench.perSecond)
        if pgbench.perSecond > best.perSecond { best = (clients, threads, pgbench.perSecond) }
      }
      let kithd = try measurements.kithd(load, clients: clients, seconds: options.seconds)
      let metric = "\(load.title), \(clients) client\(clients == 1 ? "" : "s"): calls/s"
      Progress.tell("\(metric): \(Int(here)) and \(Int(kithd.perSecond))")
      report.compare(metric, here, kithd.perSecond, latency: kithd.latency)
      if load == .known, clients == 8 {
        report.tell(
          "known identity, 8 clients: p99.9", kithd.latency.microseconds(at: 0.999) / 1000, unit: "ms", decimals: 2,
          bound: .atMost(2, goal: 1))
      }
    }
    return (best.clients, best.threads)
  }

  private mutating func compareBest(
    _ load: Load, pgbench best: (clients: Int, threads: Int), _ bound: Report.Bound
  ) throws(BenchFailure) {
    var pgbench: [Measurements.Figures] = []
    var kithd: [Measurements.Figures] = []
    for _ in 0..<options.ratioRounds {
      pgbench.append(
        try measurements.pgbench(load, clients: best.clients, threads: best.threads, seconds: options.seconds))
      kithd.append(try measurements.kithd(load, clients: 32, seconds: options.seconds))
    }
    let ratios = zip(kithd, pgbench).map { $0.perSecond / $1.perSecond }
    report.compare(
      "\(load.title): calls/s with 32 clients over the best of pgbench (\(best.clients))",
      pgbench.map(\.perSecond).median, kithd.map(\.perSecond).median, ratio: ratios.median, bound: bound,
      latency: kithd.last?.latency)
    report.compare(
      "\(load.title): database CPU µs/call", pgbench.map(\.databaseMicroseconds).median,
      kithd.map(\.databaseMicroseconds).median, decimals: 1)
    report.tell("\(load.title): daemon CPU", kithd.map(\.daemonMicroseconds).median, unit: "µs/call")
  }

  // MARK: Sealed records

  /// What is kept sealed, over what has nothing to seal.
  private mutating func measureSealedCalls() throws(BenchFailure) {
    try measurements.database.settle()
    try compare(.hold, with: .registration, .atLeast(0.7, goal: 1.0))
    let puts = try measurements.kithd(.credential, clients: 32, seconds: options.seconds)
    report.tell("\(Load.credential.title), 32 clients", puts.perSecond, unit: "calls/s", decimals: 0)
    try measurements.database.settle()
    try compare(.secret, with: .known, .atLeast(0.5, goal: 0.7))
  }

  /// Two loads of the daemon in turns.
  private mutating func compare(
    _ load: Load, with other: Load, _ bound: Report.Bound
  ) throws(BenchFailure) {
    var first: [Measurements.Figures] = []
    var second: [Measurements.Figures] = []
    for _ in 0..<options.ratioRounds {
      first.append(try measurements.kithd(other, clients: 32, seconds: options.seconds))
      second.append(try measurements.kithd(load, clients: 32, seconds: options.seconds))
    }
    let metric = "\(load.title): calls/s with 32 clients over \(other.title) (\(Int(first.map(\.perSecond).median)))"
    Progress.tell(metric)
    report.compare(
      metric, nil, second.map(\.perSecond).median, ratio: zip(second, first).map { $0.perSecond / $1.perSecond }.median,
      bound: bound, latency: second.last?.latency)
    report.tell(
      "\(load.title): database CPU", second.map(\.databaseMicroseconds).median, unit: "µs/call")
    report.tell("\(load.title): daemon CPU", second.map(\.daemonMicroseconds).median, unit: "µs/call")
  }

  // MARK: Start

  /// A second daemon on the database that runs: its own start, without the cluster's.
  private mutating func measureStartBeside() throws(BenchFailure) {
    var seconds: [Double] = []
    for _ in 0..<options.startRounds {
      let daemon = try DaemonProcess(site.daemonBeside)
      daemon.stop()
      seconds.append(daemon.startSeconds)
    }
    report.tell(
      "ready after start, existing database", seconds.median, unit: "s", decimals: 3, bound: .atMost(0.5, goal: 0.15))
  }
}
