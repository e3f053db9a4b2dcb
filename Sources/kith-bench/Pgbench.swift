import Foundation

/// Runs pgbench against the daemon's own cluster.
struct Pgbench {
  struct Figures {
    let transactionsPerSecond: Double
    /// Only where latencies were logged.
    let histogram: Histogram
  }

  private let folder: String
  private let host: String
  private let scratch: String

  init(daemon: DaemonUnderTest) throws {
    folder = try Program.postgresFolder()
    host = daemon.databaseFolder
    scratch = daemon.folder + "/pgbench"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
  }

  /// Runs SQL as the owner of the schema, or as the superuser.
  @discardableResult
  func psql(_ sql: String, user: String = "kith_owner") throws -> String {
    let file = scratch + "/script.sql"
    try sql.write(toFile: file, atomically: true, encoding: .utf8)
    return try Program.run(
      folder + "/psql",
      ["-h", host, "-U", user, "-d", "kith", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", file])
  }

  func run(
    _ workload: Workload, users: Int, run: Int, clients: Int, seconds: Double, logsLatencies: Bool = false
  ) throws -> Figures {
    let file = scratch + "/workload.sql"
    // Semicolons end statements in pgbench; a line that begins with a backslash is a command of its own.
    try workload.script(users: users, run: run).write(toFile: file, atomically: true, encoding: .utf8)
    var arguments = [
      "-h", host, "-U", "kith_owner", "-M", "prepared", "-n", "-f", file, "-c", "\(clients)", "-j",
      "\(min(clients, 2))", "-T", "\(max(1, Int(seconds.rounded())))",
    ]
    if logsLatencies { arguments += ["-l", "--log-prefix", "latency"] }
    let output = try Program.run(folder + "/pgbench", arguments + ["kith"], in: scratch)
    guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let rate = Double(line.dropFirst(6).prefix { $0 != " " })
    else { throw Program.Failure(description: "pgbench printed no rate: \(output.suffix(500))") }
    return Figures(transactionsPerSecond: rate, histogram: try logsLatencies ? readLatencies() : Histogram())
  }

  /// The third field of each line is the latency in microseconds.
  private func readLatencies() throws -> Histogram {
    var histogram = Histogram()
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch) where name.hasPrefix("latency") {
      let text = try String(contentsOfFile: scratch + "/" + name, encoding: .utf8)
      for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count > 2, let microseconds = UInt64(String(Substring(fields[2]))) else { continue }
        histogram.add(nanoseconds: microseconds * 1000)
      }
      try FileManager.default.removeItem(atPath: scratch + "/" + name)
    }
    return histogram
  }
}
