import Glibc

/// Looks at the administrators' socket in the file system: is it there, whose is it, may we connect?
struct SocketCheck {
  private static let subject = "socket"

  let path: String
  /// Nil when it cannot be looked at.
  private let status: stat?
  private let problem: Int32

  init(path: String) {
    self.path = path
    var status = stat()
    let isThere = stat(path, &status) == 0
    self.status = isThere ? status : nil
    problem = isThere ? 0 : errno
  }

  /// Whose the socket is: the daemon's, unless systemd made it.
  var owner: UInt32? { status?.st_uid }

  /// Whether there is a socket that we may connect to.
  var isOpen: Bool { finding.verdict != .failed }

  var finding: Finding {
    guard let status else { return absence }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return .failed(Self.subject, "\(path) is not a socket", remedy: "remove it and start kithd again")
    }
    let words = "\(path) (\(Self.words(of: status)))"
    guard access(path, W_OK) == 0 else {
      let group = AccountName.group(status.st_gid)
      return .failed(
        Self.subject, "\(words) is closed to \(AccountName.user(geteuid()))",
        remedy: "become a member of its group: usermod -aG \(group) \(AccountName.user(geteuid())), and log in again")
    }
    guard status.st_mode & S_IWOTH == 0 else {
      return .warning(
        Self.subject, "\(words) is open to everybody",
        remedy: "set sockets.mode to \"0660\" in the configuration, or SocketMode=0660 in the socket unit")
    }
    return .ok(Self.subject, words)
  }

  private var absence: Finding {
    guard problem == EACCES else {
      return .failed(
        Self.subject, "\(path) is not there: \(String(cString: strerror(problem)))",
        remedy: "start kithd (systemctl start kithd-admin.socket), or name its socket with --socket")
    }
    return .failed(
      Self.subject, "the folder of \(path) is closed to \(AccountName.user(geteuid()))",
      remedy: "become a member of its group, or run as root")
  }

  private static func words(of status: stat) -> String {
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return "\(AccountName.user(status.st_uid)):\(AccountName.group(status.st_gid)), mode 0\(mode)"
  }
}
