import FoundationEssentials
import Glibc

/// A folder of one test's own for its sockets.
struct SocketFolder {
  let path: String

  /// Makes the folder, lends it to `body` and removes it.
  static func with<Value>(_ body: (SocketFolder) async throws -> Value) async throws -> Value {
    var name = Array("/tmp/kith-us-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw POSIXError(.EACCES) }
    let folder = SocketFolder(path: String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    return try await body(folder)
  }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// A path in the folder that is exactly so long.
  func path(bytes count: Int) -> String {
    self[String(repeating: "s", count: count - path.utf8.count - 1)]
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Leaves a socket at a path that nobody serves.
  func leaveDeadSocket(at path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    withUnsafeBytes(of: address) { raw in
      _ = raw.baseAddress.map { bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
    }
    close(descriptor)
  }
}
