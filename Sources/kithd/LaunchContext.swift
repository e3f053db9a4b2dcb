import Configuration
import EventLoop
import Glibc
import Service
import Terminal

/// What the command line of `kithd` said.
struct LaunchContext: Sendable {
  let arguments: Arguments
  let loop: EventLoop
  /// Standard error.
  let errors: LineOutput

  var source: ConfigurationSource {
    ConfigurationSource(
      file: arguments.value(of: .config), isEmbedded: arguments.contains(.embedded),
      stateFolder: arguments.value(of: .stateFolder))
  }
}

extension OptionDeclaration {
  static let config = OptionDeclaration(
    "config", .file("FILE"), "Read the configuration from FILE (default: \(ConfigurationSource.defaultFile))")
  static let embedded = OptionDeclaration(
    "embedded", .none, "Run a private PostgreSQL in the state folder; without --config, for trying out")
  static let stateFolder = OptionDeclaration(
    "state-dir", .file("DIR"), "Keep state in DIR, whatever the configuration says")
  static let migrate = OptionDeclaration(
    "migrate", .none, "Bring the database's schema to this version, then serve; --embedded always does")
  static let checkConfig = OptionDeclaration(
    "check-config", .none, "Read and check the configuration, open nothing, and exit 0 or 1")
}

extension Program<LaunchContext> {
  static var kithd: Program {
    Program(
      Command(
        "kithd", "The daemon that answers which of our users somebody is",
        details: """
          Serves JSON-RPC on two Unix sockets, one for apps and one for administrators, and keeps its users in
          PostgreSQL. SIGTERM finishes what is in flight and ends it; SIGHUP reads the configuration again.
          """,
        options: [.config, .embedded, .stateFolder, .migrate, .checkConfig]
      ) { context throws(CommandFailure) in
        if context.arguments.contains(.checkConfig) {
          try checkConfiguration(context)
        } else {
          try await Daemon(context).run()
        }
      }, options: [])
  }
}

private func checkConfiguration(_ context: LaunchContext) throws(CommandFailure) {
  let configuration = try context.source.loadOrFail()
  try DaemonKeyset(configuration).check()
  ProcessConsole().writeOutput(lines: [
    "the configuration is right: \(configuration.namespaces.count.counted("namespace", "namespaces")), "
      + configuration.callers.entries.count.counted("caller", "callers")
  ])
}

extension ConfigurationSource {
  private var isDefaultFileAbsent: Bool { file == nil && !isEmbedded && access(Self.defaultFile, F_OK) != 0 }

  /// Loads the configuration, or fails as a command does, with every problem on a line.
  func loadOrFail() throws(CommandFailure) -> Configuration {
    do throws(ConfigurationError) {
      return try load(in: .ofThisProcess())
    } catch {
      // Each problem is a line of its own, with what to do about it; the last one ends the program.
      let console = ProcessConsole()
      for problem in error.problems.dropLast() { console.writeError(lines: ["kithd: error: \(problem.description)"]) }
      throw CommandFailure(
        .failed, error.problems.last?.description ?? error.description,
        hint: isDefaultFileAbsent
          ? "to try Kith out without one: kithd --embedded --state-dir /var/tmp/kith-trial" : nil)
    }
  }
}
