import Accounts

/// A listening socket to serve on.
public struct ServiceSocket: Sendable {
  public let role: SocketRole
  public let descriptor: Int32
  /// Removed at the end; nil for a socket that somebody else made.
  public let ownedPath: String?

  public init(role: SocketRole, descriptor: Int32, ownedPath: String?) {
    self.role = role
    self.descriptor = descriptor
    self.ownedPath = ownedPath
  }
}
