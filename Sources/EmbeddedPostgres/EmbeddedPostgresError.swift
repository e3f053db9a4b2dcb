/// Why the private cluster cannot be run. The data is as it was.
public enum EmbeddedPostgresError: Error, Sendable {
  /// No PostgreSQL server is installed.
  case serverNotInstalled
  /// The data was made by another major version than those installed.
  case versionMismatch(folder: String, dataVersion: Int, installedVersions: [Int])
  /// Another process runs the cluster in this folder.
  case folderInUse(folder: String)
  /// The user that the server is to run as, or the one that we run as, has no name.
  case userUnknown(String)
  /// The server's user may not pass through this folder.
  case folderClosed(folder: String, user: String)
  /// A folder of the cluster was there before and is not its user's alone: somebody else made it, or may write to it.
  case folderNotOurs(path: String, why: String)
  /// A file or folder could not be made or read.
  case folderUnusable(path: String, code: Int32)
  /// A new cluster could not be made; what the tools said.
  case creationFailed([String])
  /// The server ended before it was ready; its last lines.
  case startFailed([String])
  /// A server of a former run does not end.
  case formerServerRunning(processID: Int32)
  /// The server does not end although it was told to.
  case stopTimedOut(processID: Int32)
  /// A program could not be started.
  case programNotStarted(path: String, code: Int32)
  /// It was told to stop before it was ready.
  case stopped
}

extension EmbeddedPostgresError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .serverNotInstalled: "no PostgreSQL server is installed"
    case .versionMismatch(let folder, let dataVersion, let installedVersions):
      "\(folder) was made by PostgreSQL \(dataVersion), installed is \(Self.list(installedVersions))"
    case .folderInUse(let folder): "another process runs the PostgreSQL in \(folder)"
    case .userUnknown(let user): "there is no user \(user)"
    case .folderClosed(let folder, let user): "the user \(user) may not pass through \(folder)"
    case .folderNotOurs(let path, let why): "\(path) \(why)"
    case .folderUnusable(let path, let code): "\(path): \(systemMessage(code))"
    case .creationFailed(let lines): "no cluster could be made: \(lines.joined(separator: " | "))"
    case .startFailed(let lines): "PostgreSQL did not start: \(lines.joined(separator: " | "))"
    case .formerServerRunning(let processID): "a PostgreSQL of a former run does not end (process \(processID))"
    case .stopTimedOut(let processID): "PostgreSQL does not end (process \(processID))"
    case .programNotStarted(let path, let code): "\(path) could not be started: \(systemMessage(code))"
    case .stopped: "it was stopped before it was ready"
    }
  }

  /// What to do about it; nil when the description says all there is.
  public var hint: String? {
    switch self {
    case .serverNotInstalled:
      "install one (Debian: apt-get install postgresql), or name a database in the configuration"
    case .versionMismatch(let folder, let dataVersion, let installedVersions):
      installedVersions.last.map {
        "the data is untouched: install PostgreSQL \(dataVersion) again, or bring it to \($0) with pg_upgrade on \(folder)"
      }
    case .folderInUse: "stop the other one, or choose another --state-dir"
    case .folderClosed(_, let user):
      "choose another --state-dir, to which \(user) may come as well, such as /var/tmp/kith-trial"
    case .folderNotOurs: "look who made it and what is in it; where there is none, kithd makes its own"
    case .formerServerRunning(let processID), .stopTimedOut(let processID): "see what process \(processID) waits for"
    case .userUnknown, .folderUnusable, .creationFailed, .startFailed, .programNotStarted, .stopped: nil
    }
  }

  private static func list(_ versions: [Int]) -> String {
    versions.map(String.init).joined(separator: ", ")
  }
}
