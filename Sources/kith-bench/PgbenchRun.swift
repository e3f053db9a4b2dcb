/// One run of `pgbench -M prepared`.
struct PgbenchRun {
  struct Outcome {
    let perSecond: Double
    let calls: Int
    let latency: LatencyHistogram

    /// - Parameters:
    ///   - output: what pgbench printed.
    ///   - log: its log of every transaction; the third column is the duration in microseconds.
    init(reading output: String, log: String) throws(BenchFailure) {
      func number(after label: String) -> Double? {
        let line = output.split(separator: "\n").first { $0.hasPrefix(label) }
        return line?.dropFirst(label.count).split { $0 == " " || $0 == "/" }.first.flatMap { Double($0) }
      }
      guard let perSecond = number(after: "tps = "),
        let calls = number(after: "number of transactions actually processed: "),
        (number(after: "number of failed transactions: ") ?? 0) == 0
      else { throw BenchFailure("pgbench did not do its work:\n\(output)") }
      self.perSecond = perSecond
      self.calls = Int(calls)
      var latency = LatencyHistogram()
      for line in log.split(separator: "\n") {
        let columns = line.split(separator: " ", maxSplits: 3)
        guard columns.count > 2, let microseconds = Int(columns[2]) else { continue }
        latency.add(nanoseconds: microseconds * 1000)
      }
      self.latency = latency
    }
  }

  let script: String
  let variables: [(name: String, value: String)]
  let clients: Int
  let threads: Int
  let seconds: Double
  var keepsLatency = false
  /// Calls of each client, instead of a time. So few that each statement is planned once, as the daemon has it, and not anew
  /// for the first calls.
  var callsEach: Int?

  /// Calls of each client of a run that is shorter than a second, the shortest time that pgbench knows.
  private static let shortRunCalls = 100

  var length: [String] {
    if let callsEach { return ["-t", "\(callsEach)"] }
    return seconds < 1 ? ["-t", "\(Self.shortRunCalls)"] : ["-T", "\(Int(seconds.rounded(.up)))"]
  }

  /// What libpq takes for the name of a database.
  var database: String { callsEach == nil ? "kith" : "dbname=kith options='-c plan_cache_mode=force_generic_plan'" }

  init(
    _ load: Load, _ range: LoadRange, namespaces: Namespaces, clients: Int, threads: Int = 2, seconds: Double
  ) throws(BenchFailure) {
    guard let script = load.script else { throw BenchFailure("\(load.title): nothing that pgbench does") }
    self.script = script
    self.clients = clients
    self.threads = threads
    self.seconds = seconds
    let namespace = load == .link ? namespaces.linkedin[range.linkTenant] : namespaces.apple
    variables = [
      ("namespace", "\(namespace)"), ("tenant", load == .link ? range.tenant : Namespaces.appleTenant),
      ("domain", range.domain), ("users", "\(range.users)"), ("start", "\(range.start)"), ("base", "\(range.base)"),
      ("first", "\(LoadRange.firstKey)"), ("spread", "\(LoadRange.spread)"), ("clients", "\(clients)"), ("n", "-1"),
    ]
  }
}

/// The database's numbers of what the configuration names.
struct Namespaces {
  static let appleTenant = "BENCHTEAM1"

  let apple: Int
  let linkedin: [Int]
}
