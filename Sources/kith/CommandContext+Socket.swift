import Configuration
import Glibc
import Terminal

extension CommandContext {
  /// The administrators' socket, by the first of these that says one: `--socket`, the configuration named by `--config`,
  /// `KITH_SOCKET`, the default configuration where it can be read, the folder of a daemon of one's own where a socket is in
  /// it, `/run/kith`.
  ///
  /// - Throws: only when a configuration was named that cannot be read: another daemon is not meant then.
  func socketPath() throws(CommandFailure) -> String {
    if let named = arguments.value(of: .socket) { return named }
    if let file = arguments.value(of: .config), let configured = try socket(configuredIn: file) { return configured }
    return usualSocketPath
  }

  /// As ``socketPath()``, where a named configuration that cannot be read is told elsewhere.
  var likelySocketPath: String { (try? socketPath()) ?? usualSocketPath }

  private var usualSocketPath: String {
    if let named = environment["KITH_SOCKET"], !named.isEmpty { return named }
    if let configured = try? ConfigurationSource().adminSocket(in: .ofThisProcess()) { return configured }
    let own = environment["XDG_RUNTIME_DIR"].map { $0 + "/kith/admin.sock" }
    if let own, geteuid() != 0, access(own, F_OK) == 0 { return own }
    return "/run/kith/admin.sock"
  }

  private func socket(configuredIn file: String) throws(CommandFailure) -> String? {
    do throws(ConfigurationError) {
      return try ConfigurationSource(file: file).adminSocket(in: .ofThisProcess())
    } catch {
      throw CommandFailure(.failed, error.description, hint: "name the daemon's socket itself with --socket")
    }
  }
}
