import API
import Accounts
import Configuration
import Glibc
import KithClient
import Schema
import Terminal

/// The checks of `kith doctor`, one function a subject.
struct Examination: Sendable {
  /// Beyond this, times in the journal and in tokens cannot be compared.
  private static let clockSecondsMax = 1.0
  /// Sign-ins feel slow beyond this.
  private static let roundTripMicrosecondsMax = 5000
  private static let freeBytesMin: UInt64 = 1 << 30
  private static let freeInodesShareMin = 0.05

  private let context: CommandContext
  private let source: ConfigurationSource

  init(_ context: CommandContext) {
    self.context = context
    source = ConfigurationSource(file: context.arguments.value(of: .config))
  }

  func run() async -> [Finding] {
    var findings = [socket()]
    switch await daemonStatus() {
    case .failure(let failure):
      findings.append(failure.finding)
    case .success(let status):
      findings.append(.ok("daemon", "kithd \(status.version) answers"))
      findings += [database(status), schema(status), clock(status)]
    }
    findings += configuration()
    return findings
  }

  // MARK: Daemon

  private func socket() -> Finding {
    let path = context.socketPath
    var status = stat()
    guard stat(path, &status) == 0 else {
      return .failed(
        "socket", "\(path) is not there: \(String(cString: strerror(errno)))",
        remedy: "start kithd (systemctl start kithd-admin.socket), or name its socket with --socket")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return .failed("socket", "\(path) is not a socket", remedy: "remove it and start kithd again")
    }
    let mode = String(status.st_mode & 0o777, radix: 8)
    guard status.st_mode & 0o007 == 0 else {
      return .warning(
        "socket", "\(path) may be reached by everybody (mode \(mode))",
        remedy: "set sockets.mode to \"0660\" in the configuration, or SocketMode=0660 in the socket unit")
    }
    guard access(path, W_OK) == 0 else {
      return .failed(
        "socket", "\(path) may not be reached by uid \(geteuid()) (mode \(mode), group \(status.st_gid))",
        remedy: "become a member of the socket's group: usermod -aG GROUP USER, and log in again")
    }
    return .ok("socket", "\(path) is there (mode \(mode))")
  }

  private func daemonStatus() async -> Result<ServerStatus.Result, CheckFailure> {
    do throws(CommandFailure) {
      return .success(
        try await context.withClient { client throws(ClientError) in
          try await client.call(ServerStatus.self, EmptyShape())
        })
    } catch {
      return .failure(CheckFailure(.failed("daemon", error.message, remedy: error.hint ?? "look into its journal")))
    }
  }

  private func database(_ status: ServerStatus.Result) -> Finding {
    guard status.database.state == .up else {
      return .failed(
        "database", "the daemon cannot reach PostgreSQL",
        remedy: "see the daemon's journal for why; check database in its configuration and that PostgreSQL runs")
    }
    let microseconds = status.database.roundTripMicroseconds ?? 0
    let words = "PostgreSQL \(status.database.serverVersion?.string ?? "?") answers in \(microseconds) µs"
    guard microseconds <= Self.roundTripMicrosecondsMax else {
      return .warning("database", words, remedy: "bring daemon and database closer together, or find what loads them")
    }
    return .ok("database", words)
  }

  private func schema(_ status: ServerStatus.Result) -> Finding {
    guard status.schemaVersion == Schema.version else {
      return .warning(
        "schema", "the daemon works with version \(status.schemaVersion), this kith with \(Schema.version)",
        remedy: "install kith and kithd of one version; then: kith migrate status")
    }
    return .ok("schema", "version \(status.schemaVersion)")
  }

  private func clock(_ status: ServerStatus.Result) -> Finding {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let own = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    let told = Double(status.startedAt.microseconds) / 1e6 + Double(status.uptimeSeconds)
    // The uptime is told in whole seconds, so the difference is known to a second.
    let difference = abs(own - told) - 1
    guard difference <= Self.clockSecondsMax else {
      return .failed(
        "time", "the clock was set by \(Int(difference)) s since the daemon started",
        remedy: "synchronise the clock (timedatectl set-ntp true) and restart kithd")
    }
    return .ok("time", "the clock has run evenly since the daemon started")
  }

  // MARK: Host

  private func configuration() -> [Finding] {
    let file = source.file ?? ConfigurationSource.defaultFile
    var status = stat()
    guard stat(file, &status) == 0 else {
      return [
        .warning(
          "configuration", "\(file) is not there: \(String(cString: strerror(errno)))",
          remedy: "name it with --config; a daemon that was started with --embedded for trying out has none")
      ]
    }
    guard access(file, R_OK) == 0 else {
      return [
        .warning("configuration", "\(file) may not be read by uid \(geteuid())", remedy: "run as root to check it")
      ]
    }
    var findings: [Finding] = []
    if status.st_mode & 0o022 != 0 {
      findings.append(
        .failed("configuration", "\(file) may be written by others than its owner", remedy: "chmod go-w \(file)"))
    }
    do throws(ConfigurationError) {
      let configuration = try source.load(in: .ofThisProcess())
      findings.append(.ok("configuration", "\(file) is right"))
      findings.append(KeysetCheck.finding(configuration.keyset))
      findings += disk(configuration.stateFolder)
    } catch {
      findings.append(
        .failed(
          "configuration", error.problems.first?.description ?? error.description,
          remedy: error.problems.first?.hint ?? "see all of it with: kithd --check-config --config \(file)"))
    }
    return findings
  }

  private func disk(_ folder: String) -> [Finding] {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return [
        .warning(
          "disk", "the state folder \(folder) cannot be looked at: \(String(cString: strerror(errno)))",
          remedy: "make it, or set state_dir in the configuration")
      ]
    }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let inodes = status.f_files == 0 ? 1 : Double(status.f_favail) / Double(status.f_files)
    let words = "\(free >> 20) MiB free at \(folder)"
    guard free >= Self.freeBytesMin, inodes >= Self.freeInodesShareMin else {
      return [.failed("disk", words, remedy: "make room; a full disk stops sign-ins that change something")]
    }
    return [.ok("disk", words)]
  }
}

/// A finding that ends a chain of checks.
private struct CheckFailure: Error {
  let finding: Finding

  init(_ finding: Finding) { self.finding = finding }
}
