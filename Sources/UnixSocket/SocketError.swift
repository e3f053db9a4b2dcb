import Glibc

/// Why a socket could not be opened.
public enum SocketError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A path longer than the 107 bytes that a Unix socket address holds.
  case pathTooLong(String)
  /// Somebody else is serving on this path.
  case inUse(String)
  /// What stands at this path is not a socket, so it was left alone.
  case notASocket(String)
  /// A system call failed with this `errno`.
  case system(call: String, path: String, errno: Int32)

  public var description: String {
    switch self {
    case .pathTooLong(let path): "the socket path is longer than \(UnixAddress.pathBytesMax) bytes: \(path)"
    case .inUse(let path): "another process is serving on \(path)"
    case .notASocket(let path): "what stands at \(path) is not a socket"
    case .system(let call, let path, let errno): "\(call) \(path): \(String(cString: strerror(errno)))"
    }
  }
}

/// A `sockaddr_un` for a path.
struct UnixAddress {
  /// What `sun_path` holds besides the final zero.
  static let pathBytesMax = 107

  private var address = sockaddr_un()
  let path: String

  init(path: String) throws(SocketError) {
    let bytes = Array(path.utf8)
    guard bytes.count <= Self.pathBytesMax, !bytes.isEmpty else { throw .pathTooLong(path) }
    self.path = path
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Calls `bind` or `connect` with the address.
  func pass(to call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafeBytes(of: address) { raw in
      guard let base = raw.baseAddress else { return -1 }
      return call(base.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }
}
