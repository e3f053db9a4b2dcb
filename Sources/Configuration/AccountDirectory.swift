import Glibc

/// Turns the names of the host's users and groups into the numbers that the kernel reports of a peer.
public protocol AccountDirectory: Sendable {
  /// Nil when the host knows no such user.
  func uid(ofUser name: String) -> UInt32?
  /// Nil when the host knows no such group.
  func gid(ofGroup name: String) -> UInt32?
}

/// The host's own directory: `/etc/passwd` and whatever else its name service is configured to ask.
public struct HostAccountDirectory: AccountDirectory {
  /// One record with all its text; a group lists its members, so it may be long.
  private static let recordBytesMax = 1 << 20

  public init() {}

  public func uid(ofUser name: String) -> UInt32? {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var text = [CChar](repeating: 0, count: Self.recordBytesMax)
    guard getpwnam_r(name, &record, &text, text.count, &found) == 0, found != nil else { return nil }
    return record.pw_uid
  }

  public func gid(ofGroup name: String) -> UInt32? {
    var record = group()
    var found: UnsafeMutablePointer<group>?
    var text = [CChar](repeating: 0, count: Self.recordBytesMax)
    guard getgrnam_r(name, &record, &text, text.count, &found) == 0, found != nil else { return nil }
    return record.gr_gid
  }
}
