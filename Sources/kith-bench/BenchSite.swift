import Glibc

/// Where things of this run are, and how daemons are started on them.
struct BenchSite {
  let folder: WorkFolder
  private let kithd: String
  private let configuration: String
  private let configurationBeside: String

  var databaseSocketFolder: String { folder.file("state/postgres/run") }
  var socket: String { folder.file("app.sock") }
  /// The daemon that runs the cluster.
  var embeddedDaemon: [String] { [kithd, "--embedded", "--migrate", "--config", configuration] }
  /// Another daemon on the same database.
  var daemonBeside: [String] { [kithd, "--config", configurationBeside] }

  /// - Throws: when there is no `kithd` beside this program.
  init(in folder: WorkFolder) throws(BenchFailure) {
    self.folder = folder
    let own = try Self.ownPath()
    kithd = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/kithd"
    guard access(kithd, X_OK) == 0 else { throw BenchFailure("\(kithd) is not there: build it first") }
    configuration = try folder.write("kith.json5", Self.configuration(folder, state: "state", suffix: "", database: ""))
    configurationBeside = try folder.write(
      "beside.json5",
      Self.configuration(
        folder, state: "beside", suffix: "-beside",
        database: """
          database: "host=\(folder.file("state/postgres/run")) dbname=kith user=kith_runtime",
          keyset: "file:\(folder.file("state/keyset.json"))",
          """))
    guard mkdir(folder.file("beside"), 0o700) == 0 else { throw .system(folder.file("beside")) }
  }

  /// The process that all others of PostgreSQL are children of, from the first line of its own file.
  func serverProcess() throws(BenchFailure) -> pid_t {
    let path = folder.file("state/postgres/data/postmaster.pid")
    guard let id = try WorkFolder.text(of: path).split(separator: "\n").first.flatMap({ pid_t($0) }) else {
      throw BenchFailure("\(path) does not name a process")
    }
    return id
  }

  private static func configuration(_ folder: WorkFolder, state: String, suffix: String, database: String) -> String {
    let linkedin = (0..<LoadRange.linkTenants).map {
      "{ provider: \"linkedin\", tenant: \"\(LoadRange.tenantName($0))\" }"
    }
    return """
      {
        \(database)
        state_dir: "\(folder.file(state))",
        sockets: { app: "\(folder.file("app\(suffix).sock"))", admin: "\(folder.file("admin\(suffix).sock"))" },
        namespaces: [
          { provider: "apple", tenant: "\(Namespaces.appleTenant)" },
          \(linkedin.joined(separator: ",\n    ")),
        ],
        callers: [{ name: "bench", uid: "\(geteuid())", methods: ["*"], namespaces: ["*"],
          access_groups: ["\(LoadRange.accessGroup)"], may_assert: true }],
        log: { level: "info", format: "text" },
      }

      """
  }

  private static func ownPath() throws(BenchFailure) -> String {
    guard let path = realpath("/proc/self/exe", nil) else { throw .system("/proc/self/exe") }
    defer { free(path) }
    return String(cString: path)
  }
}
