import Glibc

/// Who PostgreSQL and PgBouncer run as in tests: ourselves, but for root, whom both refuse, the user `postgres`.
public struct ServerAccount: Sendable {
  public let uid: uid_t
  public let gid: gid_t

  public static func current() throws -> ServerAccount {
    guard geteuid() == 0 else { return ServerAccount(uid: geteuid(), gid: getegid()) }
    guard let entry = getpwnam("postgres") else { throw SystemCallFailure(call: "getpwnam postgres", errno: errno) }
    return ServerAccount(uid: entry.pointee.pw_uid, gid: entry.pointee.pw_gid)
  }

  /// What makes `setpriv` take this user's place.
  public var options: [String] {
    uid == geteuid() ? [] : ["--reuid", "\(uid)", "--regid", "\(gid)", "--init-groups"]
  }

  /// Makes a folder that belongs to this user alone.
  func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) == 0, chown(path, uid, gid) == 0 else {
      throw SystemCallFailure(call: "mkdir \(path)", errno: errno)
    }
  }
}
