import Accounts
import Configuration
import Glibc
import Service
import UnixSocket

/// The sockets to serve on: those that systemd hands over, and for the rest our own.
enum ServiceSockets {
  /// The first descriptor that systemd passes (sd_listen_fds(3)).
  private static let firstPassed: Int32 = 3

  static func open(
    _ settings: SocketSettings
  ) throws(SocketError) -> [ServiceSocket] {
    let passed = passedByName()
    var sockets: [ServiceSocket] = []
    for (role, path) in [(SocketRole.app, settings.app), (.admin, settings.admin)] {
      if let descriptor = passed[role.rawValue] {
        sockets.append(ServiceSocket(role: role, descriptor: descriptor, ownedPath: nil))
      } else {
        makeFolder(of: path)
        let descriptor = try SocketListener.bind(path: path, mode: settings.mode, gid: settings.group)
        sockets.append(ServiceSocket(role: role, descriptor: descriptor, ownedPath: path))
      }
    }
    return sockets
  }

  /// By the `FileDescriptorName=` of the socket units.
  private static func passedByName() -> [String: Int32] {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    guard variable("LISTEN_PID") == "\(getpid())", let count = variable("LISTEN_FDS").flatMap({ Int($0) }) else {
      return [:]
    }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    var passed: [String: Int32] = [:]
    for (position, name) in names.prefix(count).enumerated() { passed[String(name)] = firstPassed + Int32(position) }
    return passed
  }

  /// Others have to pass through the folder to reach the socket; who may connect is the socket's own mode.
  private static func makeFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    if mkdir(folder, 0o755) == 0 { chmod(folder, 0o755) }
  }
}
