import FoundationEssentials
import Glibc

/// A folder with the configuration of a daemon of its own that serves a test's database to this process.
public struct DaemonFolder: Sendable {
  public let path: String

  public var app: String { path + "/app.sock" }
  public var admin: String { path + "/admin.sock" }
  public var keyset: String { path + "/keyset.json" }
  /// What the daemon is started with.
  public var arguments: [String] { ["--config", path + "/kith.json5"] }

  /// Makes a database and the folder, lends both to `body` and removes them.
  public static func with<Value>(
    _ body: (DaemonFolder, TestDatabase) async throws -> Value
  ) async throws -> Value {
    let folder = DaemonFolder(path: "/tmp/kith-daemon-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    // Whatever the mask of this process: the daemon refuses one that others may write to.
    chmod(folder.path, 0o755)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    return try await TestDatabase.with { database in
      let configuration = """
        { database: "\(database.conninfo())", state_dir: "\(folder.path)",
          keyset: "file:\(folder.keyset)",
          sockets: { app: "\(folder.app)", admin: "\(folder.admin)" },
          namespaces: [{ provider: "apple", tenant: "TEAM000001" }],
          callers: [{ name: "tests", uid: \(geteuid()), methods: ["*"], may_assert: true }] }
        """
      try TestKeys.write(TestKeys.keyset(), to: folder.keyset)
      try Data(configuration.utf8).write(to: URL(filePath: "\(folder.path)/kith.json5"))
      return try await body(folder, database)
    }
  }
}
