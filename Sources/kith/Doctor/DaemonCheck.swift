import API
import Accounts
import Glibc
import KithClient
import Schema
import Terminal

/// Looks at what the daemon tells of itself and of its database.
struct DaemonCheck {
  /// Beyond this, times of the journal, of tokens and of the database cannot be compared.
  private static let clockMicrosecondsMax: Int64 = 1_000_000
  /// A sign-in takes a few round trips, and feels slow beyond this.
  private static let roundTripMicrosecondsMax = 50_000
  /// A busy moment is no slow database.
  private static let attemptsMax = 3
  /// What the daemon has open besides connections: database, listeners, loops.
  private static let otherFiles = 64

  private let status: ServerStatus.Result
  /// This host's time when the daemon was asked and when it had answered.
  private let asked: ClosedRange<Int64>

  /// Asks the daemon; a failure is the one finding there is then.
  static func ask(_ context: CommandContext, at socket: String) async -> Result<DaemonCheck, CheckFailure> {
    do throws(CommandFailure) {
      var check = try await ask(once: context, at: socket)
      for _ in 1..<attemptsMax where check.isSlow { check = try await ask(once: context, at: socket) }
      return .success(check)
    } catch {
      let remedy =
        error.exitCode == .daemonUnreachable && error.hint != CommandFailure.otherSocketHint
        ? "start kithd (systemctl start kithd); journalctl -u kithd says why it does not run"
        : error.hint ?? "journalctl -u kithd says more"
      return .failure(CheckFailure(.failed("daemon", error.message, remedy: remedy)))
    }
  }

  private static func ask(
    once context: CommandContext, at socket: String
  ) async throws(CommandFailure) -> DaemonCheck {
    let before = microsecondsNow()
    let status = try await context.statusWithJSON(at: socket).status
    return DaemonCheck(status, asked: before...max(before, microsecondsNow()))
  }

  init(_ status: ServerStatus.Result, asked: ClosedRange<Int64>) {
    self.status = status
    self.asked = asked
  }

  var isEmbedded: Bool { status.embedded }

  /// Whom the daemon runs as.
  var uid: UInt32? { UInt32(exactly: status.uid) }

  var findings: [Finding] {
    [.ok("daemon", "kithd \(status.version) answers"), database, schema] + spool + [time, files]
  }

  private var isSlow: Bool { (status.database.roundTripMicroseconds ?? 0) > Self.roundTripMicrosecondsMax }

  private var database: Finding {
    let isReadOnly = status.database.readOnly ?? false
    guard status.database.state == .up else {
      guard !isReadOnly else {
        return .failed(
          "database", "every PostgreSQL that the daemon reaches is read-only", remedy: Self.readOnlyRemedy)
      }
      return .failed(
        "database", "the daemon cannot reach PostgreSQL",
        remedy: "its journal says why; see that PostgreSQL runs and that database in the configuration is right")
    }
    let microseconds = status.database.roundTripMicroseconds ?? 0
    let words = "PostgreSQL \(status.database.serverVersion?.string ?? "?") answers in \(microseconds) µs"
    guard !isReadOnly else {
      return .failed(
        "database", "\(words), but is read-only: nothing can be changed, first sign-ins included",
        remedy: Self.readOnlyRemedy)
    }
    guard !isSlow else {
      return .warning("database", words, remedy: "bring daemon and database closer together, or find what loads them")
    }
    return .ok("database", words)
  }

  private static let readOnlyRemedy =
    "name the primary, or all hosts, under database in the configuration; if it is the primary, see why its "
    + "default_transaction_read_only is on"

  private var schema: Finding {
    guard status.schemaVersion == Schema.version else {
      return .warning(
        "schema", "the daemon works with version \(status.schemaVersion), this kith with \(Schema.version)",
        remedy: "install kith and kithd of one version; then: kith migrate status")
    }
    return .ok("schema", "version \(status.schemaVersion), as in this kith")
  }

  /// What waits while the database is away is as it should be; once the database answers it is gone within a second.
  private var spool: [Finding] {
    let words = SpoolWords(status.spool)
    var findings: [Finding] = []
    if let setAside = words.setAside {
      findings.append(
        .warning(
          "spool", setAside,
          remedy: "the journal says why; if a key is missing, restore it, have *.invalid in the spool end in .entries "
            + "again, and restart kithd; see docs/operations.md"))
    }
    if let other = words.forOtherDatabases {
      findings.append(
        .warning(
          "spool", "\(words.waiting ?? other); \(other)",
          remedy: "it goes there when that database is served again from this state folder; see database in the "
            + "configuration"))
    } else if let waiting = words.waiting, isWritable {
      findings.append(
        .warning(
          "spool", "\(waiting), though the database is up",
          remedy: "ask again in a moment; if they wait still, the journal says why"))
    } else if let waiting = words.waiting {
      findings.append(.ok("spool", "\(waiting), until the database is back"))
    }
    return findings.isEmpty ? [.ok("spool", "nothing waits for the database")] : findings
  }

  private var isWritable: Bool { status.database.state == .up && status.database.readOnly != true }

  private var time: Finding {
    let remedy = "let one source set the clocks: timedatectl set-ntp true, here and where PostgreSQL runs"
    let daemon = Self.distance(of: status.time.microseconds, from: asked)
    guard daemon <= Self.clockMicrosecondsMax else {
      return .failed("time", "the daemon's clock is \(Self.seconds(daemon)) s off this host's", remedy: remedy)
    }
    guard let database = status.database.time else { return .ok("time", "the daemon's clock is this host's") }
    let difference = abs(database.microseconds - status.time.microseconds)
    guard difference <= Self.clockMicrosecondsMax else {
      return .failed("time", "the database's clock is \(Self.seconds(difference)) s off the daemon's", remedy: remedy)
    }
    return .ok("time", "the clocks of daemon, database and this host agree")
  }

  private var files: Finding {
    let words = "connections open: \(status.connections), files allowed: \(status.openFilesMax)"
    let remedy = "raise LimitNOFILE= in the unit, or lower limits.connections_per_uid"
    guard status.connections + Self.otherFiles < status.openFilesMax else {
      return .failed("files", words, remedy: remedy)
    }
    guard status.limits.connectionsPerUID + Self.otherFiles <= status.openFilesMax else {
      return .warning(
        "files", "\(words), fewer than one uid may have connections (\(status.limits.connectionsPerUID))",
        remedy: remedy)
    }
    return .ok("files", words)
  }

  private static func distance(of moment: Int64, from range: ClosedRange<Int64>) -> Int64 {
    if moment < range.lowerBound { return range.lowerBound - moment }
    return max(0, moment - range.upperBound)
  }

  private static func seconds(_ microseconds: Int64) -> Int64 { (microseconds + 500_000) / 1_000_000 }

  private static func microsecondsNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}
