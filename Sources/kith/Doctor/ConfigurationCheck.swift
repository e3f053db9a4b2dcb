import Configuration
import Glibc

/// Looks at the configuration file and at what it names on this host: keyset and state folder.
struct ConfigurationCheck {
  private static let subject = "configuration"
  /// As many problems as somebody mends at a time.
  private static let problemsTold = 10
  /// Where systemd keeps what it gave a running daemon; only root may look.
  private static let credentialsFolder = "/run/credentials/kithd.service"

  private let file: String
  private let isNamed: Bool
  private let socket: SocketCheck
  /// Nil when the daemon was not asked.
  private let isEmbedded: Bool?
  /// Whom the daemon runs as; nil where nobody says.
  private let daemonUID: UInt32?

  /// - Parameters:
  ///   - file: nil for the default one.
  ///   - isEmbedded: whether the daemon runs its own PostgreSQL, and so perhaps has no configuration; nil when it was not
  ///     asked.
  ///   - daemonUID: whom the daemon said that it runs as; nil when it was not asked.
  init(file: String?, socket: SocketCheck, isEmbedded: Bool?, daemonUID: UInt32?) {
    self.file = file ?? ConfigurationSource.defaultFile
    isNamed = file != nil
    self.socket = socket
    self.isEmbedded = isEmbedded
    // systemd makes the socket as root for a daemon that is somebody else.
    self.daemonUID = daemonUID ?? socket.owner.flatMap { $0 == 0 ? nil : $0 }
  }

  var findings: [Finding] {
    var status = stat()
    guard stat(file, &status) == 0 else { return absence(errno) }
    guard access(file, R_OK) == 0 else {
      return [
        .warning(
          Self.subject, "\(file) is closed to \(AccountName.user(geteuid()))",
          remedy: "run as root to have it, the keyset and the state folder checked")
      ]
    }
    return permissions(status) + contents
  }

  private func absence(_ problem: Int32) -> [Finding] {
    // A daemon for trying out keeps everything in one folder.
    if isEmbedded == true, !isNamed {
      let folder = socket.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      return [.ok(Self.subject, "the daemon is for trying out and needs none")]
        + KeysetCheck.findings(file: folder + "/keyset.json") + StateFolderCheck.findings(folder, owner: daemonUID)
    }
    return [
      .warning(
        Self.subject, "\(file) cannot be found: \(String(cString: strerror(problem)))",
        remedy: "name the daemon's configuration with --config")
    ]
  }

  private func permissions(_ status: stat) -> [Finding] {
    guard status.st_mode & (S_IWGRP | S_IWOTH) != 0 else { return [] }
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return [
      .failed(
        Self.subject, "\(file) can be changed by others than its owner (mode 0\(mode))",
        remedy: "chmod go-w \(file)")
    ]
  }

  private var contents: [Finding] {
    let surroundings = surroundings
    let source = ConfigurationSource(file: file, isEmbedded: isEmbedded ?? wasEmbedded(surroundings))
    do throws(ConfigurationError) {
      let configuration = try source.load(in: surroundings)
      return [.ok(Self.subject, "\(file) is right")] + (configuration.keyset.map { [KeysetCheck.finding($0)] } ?? [])
        + StateFolderCheck.findings(configuration.stateFolder, owner: daemonUID)
    } catch {
      let findings = error.problems.prefix(Self.problemsTold).map(finding)
      // Where not even the folder can be read, another one than the daemon's would be looked at.
      guard let folder = try? source.stateFolder(in: surroundings) else { return findings }
      return findings + StateFolderCheck.findings(folder, owner: daemonUID)
    }
  }

  /// Whether the file is that of a daemon with a PostgreSQL of its own, which is down: it has left its cluster, and the file
  /// names no other database.
  private func wasEmbedded(_ surroundings: Surroundings) -> Bool {
    let source = ConfigurationSource(file: file)
    guard let folder = try? source.stateFolder(in: surroundings),
      (try? source.namesNoDatabase(in: surroundings)) == true
    else { return false }
    return access(folder + StateFolderCheck.clusterFolder, F_OK) == 0
  }

  private func finding(of problem: ConfigurationProblem) -> Finding {
    let subject = problem.path.utf8.elementsEqual("keyset".utf8) ? KeysetCheck.subject : Self.subject
    if problem.isWithoutCredentials {
      return .warning(
        subject, "\(problem.path): \(problem.message)",
        remedy: "run as root while the daemon runs to have it checked")
    }
    var place = problem.file
    if let line = problem.line { place += ":\(line)" }
    if !problem.path.isEmpty { place += ": \(problem.path)" }
    return .failed(
      subject, "\(place): \(problem.message)",
      remedy: problem.hint ?? "mend it; kithd --check-config --config \(file) reads it again")
  }

  /// The daemon's surroundings rather than those of the administrator who asks.
  private var surroundings: Surroundings {
    var surroundings = Surroundings.ofThisProcess()
    guard geteuid() == 0 else { return surroundings }
    if let daemonUID { surroundings.effectiveUID = daemonUID }
    // What the unit names, where the administrator's own environment does not.
    if surroundings.environment["STATE_DIRECTORY"] == nil {
      surroundings.environment["STATE_DIRECTORY"] = "/var/lib/kith"
    }
    if surroundings.environment["CREDENTIALS_DIRECTORY"] == nil, access(Self.credentialsFolder, R_OK) == 0 {
      surroundings.environment["CREDENTIALS_DIRECTORY"] = Self.credentialsFolder
    }
    return surroundings
  }
}
