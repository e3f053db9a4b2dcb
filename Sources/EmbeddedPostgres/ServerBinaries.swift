import Glibc

/// Where the programs of one PostgreSQL version are.
struct ServerBinaries {
  let folder: String
  let majorVersion: Int

  var initdb: String { folder + "/initdb" }
  var postgres: String { folder + "/postgres" }

  /// Debian keeps each major version in a folder of its own.
  private static let versionsFolder = "/usr/lib/postgresql"

  /// Those that Debian's packages installed, by version, oldest first.
  static func installed() -> [ServerBinaries] {
    guard let listing = opendir(versionsFolder) else { return [] }
    defer { closedir(listing) }
    var found: [ServerBinaries] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let version = Int(name) else { continue }
      let binaries = ServerBinaries(folder: "\(versionsFolder)/\(name)/bin", majorVersion: version)
      if binaries.areComplete { found.append(binaries) }
    }
    return found.sorted { $0.majorVersion < $1.majorVersion }
  }

  /// The first folder of `PATH` that has the programs.
  static func folderOnPath() -> String? {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").map(String.init).first {
      ServerBinaries(folder: $0, majorVersion: 0).areComplete
    }
  }

  /// Reads the answer to `postgres --version`: "postgres (PostgreSQL) 15.18".
  static func majorVersion(in answer: String) -> Int? {
    answer.split(separator: " ").lazy.compactMap { word in
      Int(word.prefix { $0.isWholeNumber })
    }.first
  }

  private var areComplete: Bool {
    access(initdb, X_OK) == 0 && access(postgres, X_OK) == 0
  }
}
