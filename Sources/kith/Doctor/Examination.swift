import API
import Configuration
import KithClient
import Terminal

/// The checks of `kith doctor`, in the order in which one rests on the other.
struct Examination: Sendable {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() async -> [Finding] {
    let socket = SocketCheck(path: context.likelySocketPath)
    var findings = [socket.finding]
    var isEmbedded: Bool?
    var daemonUID: UInt32?
    if socket.isOpen {
      switch await DaemonCheck.ask(context, at: socket.path) {
      case .success(let check):
        findings += check.findings
        isEmbedded = check.isEmbedded
        daemonUID = check.uid
      case .failure(let failure):
        findings.append(failure.finding)
      }
    }
    return findings
      + ConfigurationCheck(
        file: context.arguments.value(of: .config), socket: socket, isEmbedded: isEmbedded, daemonUID: daemonUID
      ).findings
  }
}

/// A finding behind which some checks make no sense.
struct CheckFailure: Error {
  let finding: Finding

  init(_ finding: Finding) { self.finding = finding }
}
