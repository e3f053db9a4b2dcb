import Glibc

/// Measures the same load on pgbench and on the daemon, each time with keys of its own, and checks what was written.
struct Measurements {
  struct Figures {
    let calls: Int
    let perSecond: Double
    let latency: LatencyHistogram
    /// Processor time of one call, in microseconds.
    let databaseMicroseconds: Double
    let daemonMicroseconds: Double
    /// When it was over.
    let endedNanoseconds: Int
  }

  let users: Int
  let programs: PostgresPrograms
  let database: BenchDatabase
  let daemon: pid_t
  let server: pid_t
  let socket: String

  private var rangesUsed = 0
  private var linkRangesUsed = 0
  private var usersLinked = 0
  private var secrets: LoadRange?

  init(
    users: Int, programs: PostgresPrograms, database: BenchDatabase, daemon: pid_t, server: pid_t, socket: String
  ) {
    self.users = users
    self.programs = programs
    self.database = database
    self.daemon = daemon
    self.server = server
    self.socket = socket
  }

  mutating func pgbench(
    _ load: Load, clients: Int, threads: Int = 2, seconds: Double, keepsLatency: Bool = false
  ) throws(BenchFailure) -> Figures {
    let range = try nextRange(load)
    var run = try PgbenchRun(
      load, range, namespaces: database.namespaces, clients: clients, threads: threads, seconds: seconds)
    run.keepsLatency = keepsLatency
    return try measure(run, load, range)
  }

  /// Has pgbench do what a merge does, to so many couples.
  mutating func pgbenchMerging(_ couples: Int, clients: Int) throws(BenchFailure) -> Figures {
    let range = try newCouples(couples, identitiesMoved: 2)
    var run = try PgbenchRun(.merge, range, namespaces: database.namespaces, clients: clients, seconds: 0)
    run.callsEach = couples / clients
    return try measure(run, .merge, range)
  }

  private mutating func measure(_ run: PgbenchRun, _ load: Load, _ range: LoadRange) throws(BenchFailure) -> Figures {
    let before = ProcessFigures.cpuSeconds(ofServer: server)
    let outcome = try programs.pgbench(run)
    let used = ProcessFigures.cpuSeconds(ofServer: server) - before
    try finish(load, range, calls: outcome.calls)
    return Figures(
      calls: outcome.calls, perSecond: outcome.perSecond, latency: outcome.latency,
      databaseMicroseconds: used * 1e6 / Double(outcome.calls), daemonMicroseconds: 0,
      endedNanoseconds: MonotonicTime.nanoseconds())
  }

  mutating func kithd(_ load: Load, clients: Int, seconds: Double) throws(BenchFailure) -> Figures {
    let range = try nextRange(load)
    return try measure(load, range, clients: clients, seconds: seconds)
  }

  /// The same while consumers follow the events, until each has been told of everything.
  mutating func kithd(
    _ load: Load, clients: Int, seconds: Double, consumers count: Int
  ) throws(BenchFailure) -> (calls: Figures, consumers: EventConsumers.Outcome) {
    let before = try database.placeEvents()
    let consumers = try EventConsumers(count, socket: socket)
    let figures: Figures
    do throws(BenchFailure) {
      figures = try kithd(load, clients: clients, seconds: seconds)
    } catch {
      consumers.abandon()
      throw error
    }
    let events = load == .registration ? figures.calls : 0
    return (figures, try consumers.finish(at: before + events))
  }

  /// Merges so many couples by `merge.run`, which `merge.plan` was asked about before; that is not measured.
  mutating func kithdMerging(_ couples: Int, identitiesMoved: Int = 2, clients: Int) throws(BenchFailure) -> Figures {
    let range = try newCouples(couples, identitiesMoved: identitiesMoved)
    let planned = try LoadGenerator.run(.plan, range, clients: clients, seconds: nil, socket: socket)
    return try measure(.merge, range, plans: planned.plans, clients: clients, seconds: nil)
  }

  private mutating func measure(
    _ load: Load, _ range: LoadRange, plans: [[UInt8]] = [], clients: Int, seconds: Double?
  ) throws(BenchFailure) -> Figures {
    let before = (ProcessFigures.cpuSeconds(ofServer: server), ProcessFigures.cpuSeconds(of: daemon))
    let outcome = try LoadGenerator.run(load, range, plans: plans, clients: clients, seconds: seconds, socket: socket)
    let calls = Double(outcome.calls)
    let figures = Figures(
      calls: outcome.calls, perSecond: outcome.perSecond, latency: outcome.latency,
      databaseMicroseconds: (ProcessFigures.cpuSeconds(ofServer: server) - before.0) * 1e6 / calls,
      daemonMicroseconds: (ProcessFigures.cpuSeconds(of: daemon) - before.1) * 1e6 / calls,
      endedNanoseconds: outcome.endedNanoseconds)
    try finish(load, range, calls: outcome.calls)
    return figures
  }

  private mutating func newCouples(_ count: Int, identitiesMoved: Int) throws(BenchFailure) -> LoadRange {
    var range = try nextRange(.merge)
    range.users = count
    range.identitiesMoved = identitiesMoved
    try database.loadCouples(range)
    return range
  }

  private mutating func nextRange(_ load: Load) throws(BenchFailure) -> LoadRange {
    try Interruption.check()
    if load == .secret, let secrets { return secrets }
    let range = LoadRange(
      users: users, number: load == .link ? LoadRange.linkNumberMin + linkRangesUsed : rangesUsed,
      start: usersLinked, linkTenant: min(linkRangesUsed, LoadRange.linkTenants - 1))
    switch load {
    case .known, .secret, .plan: break
    case .link: linkRangesUsed += 1
    case .registration, .hold, .credential, .merge: rangesUsed += 1
    }
    guard linkRangesUsed <= LoadRange.linkTenants, rangesUsed <= LoadRange.linkNumberMin else {
      throw BenchFailure("more measurements than there are keys for")
    }
    return range
  }

  private mutating func finish(_ load: Load, _ range: LoadRange, calls: Int) throws(BenchFailure) {
    guard calls > 0 else { throw BenchFailure("\(load.title): nothing was done in the time given") }
    try database.verify(load, range, calls: calls)
    // Clients of pgbench are not in step: what the fastest has used may lie past the count.
    if load == .link { usersLinked += 2 * calls }
    if load == .credential { secrets = LoadRange(users: calls, number: range.number, start: 0, linkTenant: 0) }
  }
}
