import Glibc

/// Who is at the other end of a Unix socket, as the kernel says: fixed when the peer connected.
///
/// The process id is left out on purpose: ids of processes are used again, so nothing may be decided by them.
public struct PeerCredentials: Sendable, Equatable {
  public let uid: UInt32
  /// The primary group first, then the supplementary ones.
  public let gids: [UInt32]

  /// Reads SO_PEERCRED and SO_PEERGROUPS; nil if the kernel does not tell, and then the peer is nobody.
  public init?(ofSocket descriptor: Int32) {
    // struct ucred: pid, uid, gid.
    var words: (Int32, UInt32, UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: words))
    guard getsockopt(descriptor, SOL_SOCKET, SocketOption.peerCredentials, &words, &length) == 0 else { return nil }
    guard let supplementary = Self.groups(ofSocket: descriptor) else { return nil }
    uid = words.1
    gids = [words.2] + supplementary
  }

  public init(uid: UInt32, gids: [UInt32]) {
    self.uid = uid
    self.gids = gids
  }

  private static func groups(ofSocket descriptor: Int32) -> [UInt32]? {
    // 65,536 is NGROUPS_MAX; the kernel says how much is needed when a first, ordinary size is too small.
    var capacity = 64
    while capacity <= 65_536 {
      var groups = [UInt32](repeating: 0, count: capacity)
      var length = socklen_t(capacity * 4)
      if getsockopt(descriptor, SOL_SOCKET, SocketOption.peerGroups, &groups, &length) == 0 {
        return Array(groups.prefix(Int(length) / 4))
      }
      guard errno == ERANGE else { return nil }
      capacity = max(capacity * 2, Int(length) / 4)
    }
    return nil
  }
}

/// Numbers from `asm-generic/socket.h` that the C library's module leaves out.
private enum SocketOption {
  static let peerCredentials: Int32 = 17
  static let peerGroups: Int32 = 59
}
