import EventLoop
import Glibc
import Schema

/// A private PostgreSQL cluster in the daemon's state folder, reachable through a socket that only its users can open.
///
/// ``start()`` makes it when there is none and returns once it accepts connections; ``run()`` then keeps it running until
/// the surrounding task is cancelled. It ends with this process, however this process ends: on `kill -9` the kernel sends the
/// server SIGINT, its fast shutdown, so that the next start finds clean data or waits for it to become so.
///
/// Run by root it runs as an unprivileged user. It belongs to the loop it is given and runs on its thread.
public actor EmbeddedPostgres {
  /// Whether the server can be used.
  public enum State: Sendable {
    case ready
    /// It ended by itself; it is being started again.
    case down(String)
  }

  /// Who connects, and with it what they may do.
  public enum Role: String, Sendable {
    case owner = "kith_owner"
    case runtime = "kith_runtime"
    case reader = "kith_reader"
    case superuser = "postgres"
  }

  /// The database that a new cluster holds.
  public static let databaseName = "kith"

  /// A fast shutdown writes what is in memory; if that takes too long it is cut short, at the price of a recovery, and what is
  /// then left is killed by PostgreSQL itself after 5 seconds.
  private static let waysToEnd: [(signal: Int32, milliseconds: UInt64)] = [(SIGINT, 8000), (SIGQUIT, 7000)]
  /// How long what was orphaned by a killed server may hold its memory.
  private static let orphansMilliseconds: UInt64 = 10_000
  private static let backOffMilliseconds: ClosedRange<UInt64> = 50...5000
  /// Who ran this long does not count as failing again and again.
  private static let goodLifeMilliseconds: UInt64 = 30_000
  /// Lines kept to tell why a start failed.
  private static let linesKept = 12
  private static let readyLine = "database system is ready to accept connections"
  private static let orphansLine = "pre-existing shared memory block"

  private enum Event {
    case ready
    case ended(ExitStatus)
    case stop
    case timeout
  }

  public nonisolated let loop: EventLoop
  private let durability: Durability
  private let daemon: ServerUser
  private let server: ServerUser
  private let folder: ClusterFolder
  private let log: @Sendable (String) -> Void
  private let changed: @Sendable (State) -> Void

  private var lock: Int32?
  private var binaries: ServerBinaries?
  private var child: ChildProcess?
  private var lastLines: [String] = []
  private var events: [Event] = []
  private var waiter: CheckedContinuation<Event, Never>?
  private var isStopping = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - stateFolder: holds everything of the cluster in its folder `postgres`.
  ///   - serverUser: who it runs as when we are root.
  ///   - log: told every line that PostgreSQL or its tools write.
  ///   - changed: told when the server goes down by itself and when it is ready.
  public init(
    stateFolder: String, serverUser: String = "postgres", durability: Durability = .durable, on loop: EventLoop,
    log: @escaping @Sendable (String) -> Void, changed: @escaping @Sendable (State) -> Void = { _ in }
  ) throws(EmbeddedPostgresError) {
    self.loop = loop
    self.durability = durability
    self.log = log
    self.changed = changed
    daemon = try ServerUser.current()
    server = try ServerUser.forServer(runBy: daemon, unprivileged: serverUser)
    folder = try ClusterFolder(stateFolder: stateFolder, daemon: daemon, server: server)
  }

  deinit {
    if let lock { close(lock) }
  }

  /// The libpq connection string for a role and one of the cluster's databases.
  public nonisolated func conninfo(
    for role: Role, database: String = EmbeddedPostgres.databaseName
  ) -> String {
    "host=\(Self.quoted(folder.socketFolder)) port=5432 dbname=\(Self.quoted(database)) user=\(role.rawValue)"
  }

  /// The server's process, while there is one.
  public var processID: Int32? { child?.id }

  // MARK: Starting

  /// Makes the cluster if there is none, starts it and returns when it accepts connections.
  public func start() async throws(EmbeddedPostgresError) {
    try await checkWay()
    try folder.make()
    if lock == nil { lock = try folder.takeLock() }
    if folder.isSocketElsewhere {
      log("the state folder's path is too long for a socket, which is in \(folder.socketFolder) instead")
    }
    let binaries = try await findBinaries()
    self.binaries = binaries
    if folder.dataVersion == nil { try await create(with: binaries) }
    try ClusterSettings(folder: folder, daemon: daemon, server: server, durability: durability).write()
    try await endFormerServer()
    try await launchUntilReady()
    changed(.ready)
  }

  /// Sees, before anything is written, that the server's user comes as far as the state folder.
  private func checkWay() async throws(EmbeddedPostgresError) {
    guard daemon != server else { return }
    let way = folder.wayThere
    guard try await run(asServer(dyingBy: "TERM") + ["/usr/bin/test", "-x", way]).status == .exited(1) else { return }
    folder.unmake()
    throw .folderClosed(folder: server.firstClosedFolder(onTheWayTo: way) ?? way, user: server.name)
  }

  /// Those of the data's version if there is data, else the newest.
  private func findBinaries() async throws(EmbeddedPostgresError) -> ServerBinaries {
    var installed = ServerBinaries.installed()
    if let folder = ServerBinaries.folderOnPath() {
      let answer = try await run([folder + "/postgres", "--version"]).lines.first ?? ""
      if let version = ServerBinaries.majorVersion(in: answer),
        !installed.contains(where: { $0.majorVersion == version })
      {
        installed.append(ServerBinaries(folder: folder, majorVersion: version))
        installed.sort { $0.majorVersion < $1.majorVersion }
      }
    }
    guard let newest = installed.last else { throw .serverNotInstalled }
    guard let dataVersion = folder.dataVersion else { return newest }
    guard let fitting = installed.last(where: { $0.majorVersion == dataVersion }) else {
      throw .versionMismatch(
        folder: folder.data, dataVersion: dataVersion, installedVersions: installed.map(\.majorVersion))
    }
    return fitting
  }

  /// Makes a cluster beside its place and moves it there when it is complete, so that a crash leaves none or a whole one.
  private func create(with binaries: ServerBinaries) async throws(EmbeddedPostgresError) {
    let place = folder.unfinishedData
    try await need(["/bin/rm", "-rf", "--", place])
    try Filesystem.makeFolder(place, mode: 0o700, owner: server)
    try await need(
      asServer(dyingBy: "TERM")
        + [
          binaries.initdb, "--pgdata", place, "--username", Role.superuser.rawValue,
          "--auth-local", "peer", "--auth-host", "reject", "--data-checksums", "--encoding", "UTF8", "--locale",
          "C.UTF-8",
        ] + (durability == .throwAway ? ["--no-sync"] : []))
    // Single-user mode needs no server and no client; it ends a statement at a blank line.
    try await single("create database \(Self.databaseName)", in: "postgres", at: place, with: binaries)
    let roles = Schema.roles.text.split(separator: "\n").joined(separator: "\n")
    try await single(roles, in: Self.databaseName, at: place, with: binaries)
    guard rename(place, folder.data) == 0 else { throw Filesystem.unusable(folder.data) }
  }

  private func single(
    _ sql: String, in database: String, at place: String, with binaries: ServerBinaries
  ) async throws(EmbeddedPostgresError) {
    try await need(
      asServer(dyingBy: "TERM")
        + [
          binaries.postgres, "--single", "-j", "-D", place, "-c", "exit_on_error=on", "-c", "lc_messages=C",
          "-c", "fsync=\(durability == .durable ? "on" : "off")", database,
        ], input: sql + ";\n\n")
  }

  /// Waits for the server of a run that was killed; it was told to end by the kernel, and is told again.
  private func endFormerServer() async throws(EmbeddedPostgresError) {
    switch folder.formerServer {
    case .gone: return
    case .replaced: folder.removeFormerServersFiles()
    case .running(let process):
      log("waiting for the PostgreSQL of a former run to end (process \(process))")
      try await end(former: process)
      // A killed one leaves its file, and may be seen as alive until somebody asks how it ended.
      folder.removeFormerServersFiles()
    }
  }

  private func end(former process: pid_t) async throws(EmbeddedPostgresError) {
    let watch = ProcessWatch(process, on: loop) { [unowned self] in
      assumeIsolated { $0.post(.ended(.exited(0))) }
    }
    defer { withExtendedLifetime(watch) {} }
    guard watch != nil else { return }
    for (signal, limit) in Self.waysToEnd {
      kill(process, signal)
      if case .ended = await next(within: limit) { return }
    }
    throw .formerServerRunning(processID: process)
  }

  /// Launches the server, again if what a killed one left behind is still dying.
  private func launchUntilReady() async throws(EmbeddedPostgresError) {
    let started = loop.nowMilliseconds
    var backOff = Self.backOffMilliseconds.lowerBound
    while true {
      try launch()
      switch await next() {
      case .ready: return
      case .stop:
        isStopping = true
        try await end()
        throw .stopped
      case .timeout: continue
      case .ended:
        guard lastLines.contains(where: { $0.contains(Self.orphansLine) }),
          loop.nowMilliseconds < started + Self.orphansMilliseconds
        else { throw failedStart }
        await loop.pause(milliseconds: backOff)
        backOff = min(backOff * 2, Self.backOffMilliseconds.upperBound)
      }
    }
  }

  private var failedStart: EmbeddedPostgresError {
    if let closed = server.firstClosedFolder(onTheWayTo: folder.data) {
      return .folderClosed(folder: closed, user: server.name)
    }
    return .startFailed(lastLines)
  }

  private func launch() throws(EmbeddedPostgresError) {
    guard let binaries else { throw .serverNotInstalled }
    lastLines = []
    child = try ChildProcess(
      asServer(dyingBy: "INT")
        + [binaries.postgres, "-D", folder.data, "-c", "config_file=\(folder.config)/postgresql.conf"],
      on: loop,
      line: { [unowned self] line in assumeIsolated { $0.heard(line) } },
      exit: { [unowned self] status in
        assumeIsolated {
          $0.child = nil
          $0.post(.ended(status))
        }
      })
  }

  private func heard(_ line: String) {
    log(line)
    if lastLines.count == Self.linesKept { lastLines.removeFirst() }
    lastLines.append(line)
    if line.contains(Self.readyLine) { post(.ready) }
  }

  // MARK: Running

  /// Keeps the server running until the task is cancelled, then ends it in good order.
  ///
  /// To be called once, after ``start()``.
  public func run() async throws(EmbeddedPostgresError) {
    let outcome = await withTaskCancellationHandler {
      await supervise()
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.post(.stop) } }
    }
    try outcome.get()
  }

  private func supervise() async -> Result<Void, EmbeddedPostgresError> {
    var backOff = Self.backOffMilliseconds.lowerBound
    var readySince: UInt64? = loop.nowMilliseconds
    while !isStopping {
      switch await next() {
      case .stop: isStopping = true
      case .ready:
        readySince = loop.nowMilliseconds
        changed(.ready)
      case .timeout: break
      case .ended(let status):
        if let since = readySince {
          changed(.down(Self.sentence(status)))
          if loop.nowMilliseconds > since + Self.goodLifeMilliseconds { backOff = Self.backOffMilliseconds.lowerBound }
        }
        readySince = nil
        await relaunch(after: &backOff)
      }
    }
    do throws(EmbeddedPostgresError) {
      return .success(try await end())
    } catch {
      return .failure(error)
    }
  }

  /// Whatever keeps it from starting may pass, so it is tried for as long as we live.
  private func relaunch(after backOff: inout UInt64) async {
    await loop.pause(milliseconds: backOff)
    backOff = min(backOff * 2, Self.backOffMilliseconds.upperBound)
    do throws(EmbeddedPostgresError) {
      try launch()
    } catch {
      log("\(error)")
      post(.ended(.exited(1)))
    }
  }

  /// Ends the server: in good order if it can, else at once.
  private func end() async throws(EmbeddedPostgresError) {
    defer { if child == nil { giveLockBack() } }
    for (signal, limit) in Self.waysToEnd {
      guard let running = child else { return }
      running.signal(signal)
      if await endedWithin(limit) { return }
    }
    if let running = child { throw .stopTimedOut(processID: running.id) }
  }

  private func endedWithin(_ milliseconds: UInt64) async -> Bool {
    while child != nil {
      switch await next(within: milliseconds) {
      case .ended: return true
      case .timeout: return false
      case .ready, .stop: continue
      }
    }
    return true
  }

  private func giveLockBack() {
    if folder.isSocketElsewhere { rmdir(folder.socketFolder) }
    if let lock { close(lock) }
    lock = nil
  }

  // MARK: Events

  private func post(_ event: Event) {
    guard let waiter else {
      events.append(event)
      return
    }
    self.waiter = nil
    waiter.resume(returning: event)
  }

  /// The next event; there is one listener at a time.
  private func next(within milliseconds: UInt64? = nil) async -> Event {
    if !events.isEmpty { return events.removeFirst() }
    let limit = milliseconds.map { milliseconds in
      LoopTimer(on: loop, afterMilliseconds: milliseconds) { [unowned self] in assumeIsolated { $0.post(.timeout) } }
    }
    defer { limit?.cancel() }
    return await withCheckedContinuation { waiter = $0 }
  }

  // MARK: Tools

  /// What starts a program as the server's user, to be sent a signal when this process is gone.
  private func asServer(dyingBy signal: String) -> [String] {
    let switched =
      daemon == server ? [] : ["--reuid", "\(server.userID)", "--regid", "\(server.groupID)", "--init-groups"]
    return ["/usr/bin/setpriv", "--pdeathsig", signal] + switched + ["--"]
  }

  /// Runs a program that has to succeed for the cluster to be made.
  private func need(_ arguments: [String], input: String = "") async throws(EmbeddedPostgresError) {
    let (status, lines) = try await run(arguments, input: input)
    guard status != .exited(0) else { return }
    if let closed = server.firstClosedFolder(onTheWayTo: folder.unfinishedData) {
      throw .folderClosed(folder: closed, user: server.name)
    }
    throw .creationFailed(lines.suffix(Self.linesKept))
  }

  /// Runs a program to its end.
  private func run(
    _ arguments: [String], input: String = ""
  ) async throws(EmbeddedPostgresError) -> (status: ExitStatus, lines: [String]) {
    let run = ToolRun()
    return try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<(ExitStatus, [String]), EmbeddedPostgresError>, Never>) in
      do throws(EmbeddedPostgresError) {
        run.child = try ChildProcess(arguments, input: input, on: loop) { line in
          run.lines.append(line)
        } exit: { status in
          run.child = nil
          continuation.resume(returning: .success((status, run.lines)))
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }.get()
  }

  private static func sentence(_ status: ExitStatus) -> String {
    switch status {
    case .exited(let code): "PostgreSQL ended with status \(code)"
    case .killed(let signal): "PostgreSQL was ended by signal \(signal)"
    }
  }

  /// A value of a libpq connection string.
  private static func quoted(_ value: String) -> String {
    var quoted = "'"
    for character in value.unicodeScalars {
      if character == "'" || character == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "'"
  }
}

/// A tool that is running, and what it has said so far.
private final class ToolRun {
  var child: ChildProcess?
  var lines: [String] = []
}
