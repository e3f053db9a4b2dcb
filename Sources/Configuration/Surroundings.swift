import FoundationEssentials
import Glibc

/// What a configuration depends on besides its text: the process and host it is read for.
public struct Surroundings: Sendable {
  public var environment: [String: String]
  public var effectiveUID: UInt32
  public var processorCount: Int
  public var directory: any AccountDirectory

  public init(
    environment: [String: String], effectiveUID: UInt32, processorCount: Int, directory: any AccountDirectory
  ) {
    self.environment = environment
    self.effectiveUID = effectiveUID
    self.processorCount = processorCount
    self.directory = directory
  }

  /// Those of this very process.
  public static func ofThisProcess() -> Surroundings {
    Surroundings(
      environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid(),
      processorCount: ProcessInfo.processInfo.activeProcessorCount, directory: HostAccountDirectory())
  }

  /// Where the sockets stand unless the configuration says otherwise.
  ///
  /// Who is not root cannot make `/run/kith`, and has a folder of their own when they are logged in.
  public var socketFolder: String {
    guard effectiveUID != 0, let runtime = folder(in: "XDG_RUNTIME_DIR") else { return "/run/kith" }
    return runtime + "/kith"
  }

  /// Where the daemon keeps what must outlive it, unless it is told otherwise.
  public var stateFolder: String {
    // systemd names the folder it made; its list may hold several, of which ours is the first.
    if let folders = folder(in: "STATE_DIRECTORY") { return String(folders.prefix { $0 != ":" }) }
    guard effectiveUID != 0 else { return "/var/lib/kith" }
    if let state = folder(in: "XDG_STATE_HOME") { return state + "/kith" }
    return folder(in: "HOME").map { $0 + "/.local/state/kith" } ?? "/var/lib/kith"
  }

  /// The folder a variable names, when it is an absolute path.
  func folder(in variable: String) -> String? {
    guard let path = environment[variable], path.hasPrefix("/") else { return nil }
    return path
  }
}
