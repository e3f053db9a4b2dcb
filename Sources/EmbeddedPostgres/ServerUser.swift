import Glibc

/// A user of this machine: the one that the server runs as, or ourselves.
struct ServerUser: Equatable {
  let name: String
  let userID: uid_t
  let groupID: gid_t

  /// Ourselves. PostgreSQL asks for the name of whoever connects, so there has to be one.
  static func current() throws(EmbeddedPostgresError) -> ServerUser {
    guard let entry = getpwuid(geteuid()) else { throw .userUnknown("with the id \(geteuid())") }
    return ServerUser(entry)
  }

  /// Who the server runs as: ourselves, but for root, whom PostgreSQL refuses, the user of this name.
  static func forServer(runBy daemon: ServerUser, unprivileged name: String) throws(EmbeddedPostgresError) -> ServerUser
  {
    guard daemon.userID == 0 else { return daemon }
    guard let entry = getpwnam(name) else { throw .userUnknown(name) }
    return ServerUser(entry)
  }

  private init(_ entry: UnsafeMutablePointer<passwd>) {
    name = String(cString: entry.pointee.pw_name)
    userID = entry.pointee.pw_uid
    groupID = entry.pointee.pw_gid
  }

  /// The first folder on the way to `path` that this user may not pass through, judged by its mode alone.
  func firstClosedFolder(onTheWayTo path: String) -> String? {
    var folder = ""
    for part in path.split(separator: "/") {
      folder += "/" + part
      guard let found = Filesystem.status(of: folder) else { return nil }
      let needed: mode_t =
        if found.st_uid == userID { S_IXUSR } else if found.st_gid == groupID { S_IXGRP } else { S_IXOTH }
      if found.st_mode & needed == 0 { return folder }
    }
    return nil
  }
}
