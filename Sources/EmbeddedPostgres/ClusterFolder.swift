import Glibc

/// The cluster's part of the state folder:
///
///     STATE/postgres/          ours
///       lock                   held by the process that runs the cluster
///       config/                ours: what the server reads, written at every start
///       data/                  the server's; appears when it is complete
///       run/                   the server's: the socket, unless the path is too long for one
struct ClusterFolder {
  let root: String
  let socketFolder: String
  /// Whether the socket had to go elsewhere.
  let isSocketElsewhere: Bool

  var config: String { root + "/config" }
  var data: String { root + "/data" }
  /// Where a new cluster is made; what is left there by a crash is thrown away.
  var unfinishedData: String { root + "/data.unfinished" }
  private var postmasterFile: String { data + "/postmaster.pid" }

  private let stateFolder: String
  /// The folders that were made to have a state folder.
  private let made: [String]
  private let server: ServerUser
  private let isServerSomebodyElse: Bool

  /// The server's user passes through these without being able to list them.
  private static let passage: mode_t = 0o711
  /// `sockaddr_un.sun_path` without its final zero.
  private static let socketPathBytesMax = 107
  static let socketName = ".s.PGSQL.5432"

  /// - Parameter stateFolder: made if it is not there, with what is missing on the way to it; may be a link.
  init(stateFolder path: String, daemon: ServerUser, server: ServerUser) throws(EmbeddedPostgresError) {
    made = try Filesystem.makeFolders(path, mode: daemon == server ? 0o700 : Self.passage)
    guard let resolved = realpath(path, nil) else { throw Filesystem.unusable(path) }
    defer { free(resolved) }
    stateFolder = String(cString: resolved)
    self.server = server
    isServerSomebodyElse = daemon != server
    root = stateFolder + "/postgres"
    let inside = root + "/run"
    isSocketElsewhere = "\(inside)/\(Self.socketName)".utf8.count > Self.socketPathBytesMax
    socketFolder = isSocketElsewhere ? Self.shortFolder(for: root, isOurs: daemon == server) : inside
  }

  /// What the server's user has to pass to come to the state folder.
  var wayThere: String {
    let parent = stateFolder.split(separator: "/").dropLast().joined(separator: "/")
    return "/" + parent
  }

  /// Takes back that there is a state folder, unless there was one before.
  func unmake() { Filesystem.removeEmpty(made) }

  /// Makes what is missing, all but the data.
  func make() throws(EmbeddedPostgresError) {
    let passage: mode_t = isServerSomebodyElse ? Self.passage : 0o700
    if isServerSomebodyElse, let found = Filesystem.status(of: stateFolder), found.st_mode & S_IXOTH == 0 {
      chmod(stateFolder, found.st_mode & 0o7777 | S_IXOTH)
    }
    try Filesystem.makeFolder(root, mode: passage)
    try Filesystem.makeFolder(config, mode: isServerSomebodyElse ? 0o755 : 0o700)
    try Filesystem.makeFolder(socketFolder, mode: 0o700, owner: server, forbidden: 0o077)
  }

  /// Takes the lock that keeps a second process away; closing the descriptor gives it back.
  func takeLock() throws(EmbeddedPostgresError) -> Int32 {
    let path = root + "/lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Filesystem.unusable(path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .folderInUse(folder: root)
    }
    return descriptor
  }

  /// The major version that made the data; nil if there is none.
  var dataVersion: Int? {
    Filesystem.readLines(data + "/PG_VERSION")?.first.flatMap { Int($0) }
  }

  /// What a former run left behind.
  enum FormerServer {
    /// Nothing that is in the way.
    case gone
    /// It serves this data still, or is about to disappear.
    case running(pid_t)
    /// Its process id is some other program's by now, which the server could not tell from its predecessor.
    case replaced
  }

  var formerServer: FormerServer {
    guard let process = Filesystem.readLines(postmasterFile)?.first.flatMap({ pid_t($0) }), process > 0,
      kill(process, 0) == 0 || errno == EPERM
    else { return .gone }
    let commandLine = Filesystem.readLines("/proc/\(process)/cmdline")?.first ?? ""
    // A process that is ending has none, just as the kernel's own threads, which are children of process 2.
    guard !commandLine.isEmpty else { return Self.isKernelThread(process) ? .replaced : .running(process) }
    return commandLine.split(separator: "\0").contains(data[...]) ? .running(process) : .replaced
  }

  /// The two files that say who serves the data. That nobody does is still seen by the server itself, from its memory.
  func removeFormerServersFiles() {
    unlink(postmasterFile)
    unlink("\(socketFolder)/\(Self.socketName).lock")
  }

  private static func isKernelThread(_ process: pid_t) -> Bool {
    Filesystem.readLines("/proc/\(process)/status")?.contains { $0 == "PPid:\t2" } ?? false
  }

  /// A short path that is the same every time, so that a crash leaves nothing behind that is not used again.
  private static func shortFolder(for path: String, isOurs: Bool) -> String {
    // FNV-1a: short, and good enough where a collision is only refused.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let name = "kith-\(String(hash, radix: 36))"
    // Root's runtime folder is closed to the server's user.
    if isOurs, let runtime = getenv("XDG_RUNTIME_DIR") { return "\(String(cString: runtime))/\(name)" }
    return "/tmp/\(name)"
  }
}
