import Accounts

/// Who may call: the first entry that fits a peer says what it may do, and whom none fits is refused.
public struct CallerTable: Hashable, Sendable {
  public let entries: [CallerEntry]

  public init(_ entries: [CallerEntry]) {
    self.entries = entries
  }

  /// What the kernel reports of a peer decides: root is nobody special.
  ///
  /// - Parameters:
  ///   - gids: the primary and all supplementary groups.
  ///   - socket: the one it came through.
  /// - Returns: nil when the peer is unknown there.
  public func match(uid: UInt32, gids: [UInt32], socket: SocketRole) -> Caller? {
    entries.first { entry in
      guard entry.caller.sockets.contains(socket) else { return false }
      return switch entry.peer {
      case .uid(let known): known == uid
      case .group(let known): gids.contains(known)
      }
    }?.caller
  }
}
