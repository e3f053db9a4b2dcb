import Glibc

/// `psql` and `pgbench`, on the cluster of this run.
struct PostgresPrograms {
  let folder: WorkFolder
  /// Where the cluster's socket is.
  let socketFolder: String
  private let programs: String

  private static let versions = (15...18).reversed()

  init(in folder: WorkFolder, socketFolder: String) throws(BenchFailure) {
    let candidates = Self.versions.map { "/usr/lib/postgresql/\($0)/bin" }
    guard let programs = candidates.first(where: { access("\($0)/pgbench", X_OK) == 0 }) else {
      throw BenchFailure("pgbench is not in any of \(candidates.joined(separator: ", "))")
    }
    self.folder = folder
    self.socketFolder = socketFolder
    self.programs = programs
  }

  /// Runs a script.
  ///
  /// - Parameter user: the role to come as.
  /// - Returns: what it printed, without the last newline.
  @discardableResult
  func psql(_ script: String, user: String, seconds: Double = 600) throws(BenchFailure) -> String {
    let file = try folder.write("script.sql", script)
    let output = try run(
      ["\(programs)/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", file] + connection(user), seconds: seconds
    ).output
    return output.last == "\n" ? String(output.dropLast()) : output
  }

  func pgbench(_ run: PgbenchRun) throws(BenchFailure) -> PgbenchRun.Outcome {
    let script = try folder.write("pgbench.sql", run.script)
    let log = folder.file("pgbench-log")
    var arguments = ["\(programs)/pgbench", "-n", "-M", "prepared", "-f", script]
    arguments += ["-c", "\(run.clients)", "-j", "\(min(run.threads, run.clients))"]
    arguments += run.length
    if run.keepsLatency { arguments += ["-l", "--log-prefix=\(log)"] }
    for (name, value) in run.variables { arguments += ["-D", "\(name)=\(value)"] }
    let ended = try self.run(arguments + connection("kith_runtime", to: run.database), seconds: run.seconds + 60)
    guard run.keepsLatency else { return try PgbenchRun.Outcome(reading: ended.output, log: "") }
    let path = "\(log).\(ended.id)"
    defer { unlink(path) }
    return try PgbenchRun.Outcome(reading: ended.output, log: WorkFolder.text(of: path))
  }

  private func connection(_ user: String, to database: String = "kith") -> [String] {
    ["-h", socketFolder, "-p", "5432", "-U", user, database]
  }

  private func run(_ arguments: [String], seconds: Double) throws(BenchFailure) -> (id: pid_t, output: String) {
    let path = folder.file("output")
    let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .system(path) }
    defer { close(output) }
    let program = try ChildProgram(arguments, output: output)
    let endedWell = try program.wait(seconds: seconds)
    let text = try WorkFolder.text(of: path)
    guard endedWell else { throw BenchFailure("\(arguments[0]) failed:\n\(text)") }
    return (program.id, text)
  }
}
