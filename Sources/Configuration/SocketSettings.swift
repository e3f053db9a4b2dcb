/// The daemon's two sockets in the file system.
public struct SocketSettings: Hashable, Sendable {
  /// Absolute paths, short enough for a socket address.
  public let app: String
  public let admin: String
  /// Permission bits of both, as `0o660`.
  public let mode: UInt32
  /// The group both belong to; nil leaves the daemon's own.
  public let group: UInt32?

  /// Owner and group: who may connect is then a matter of membership, what they may do one of `callers`.
  public static let defaultMode: UInt32 = 0o660

  /// `sun_path` is 108 bytes with its closing zero, on Linux.
  public static let pathBytesMax = 107

  public init(folder: String, mode: UInt32 = defaultMode, group: UInt32? = nil) {
    self.init(app: folder + "/app.sock", admin: folder + "/admin.sock", mode: mode, group: group)
  }

  public init(app: String, admin: String, mode: UInt32 = defaultMode, group: UInt32? = nil) {
    self.app = app
    self.admin = admin
    self.mode = mode
    self.group = group
  }
}

extension SocketSettings {
  /// Whether both paths fit into a socket address.
  var fit: Bool { max(app.utf8.count, admin.utf8.count) <= Self.pathBytesMax }

  /// - Parameter folder: where those stand that are not named.
  init?(reading reader: ValueReader, folder: String) {
    guard let members = reader.members(["app", "admin", "mode", "group"]) else { return nil }
    let byDefault = SocketSettings(folder: folder)
    self.init(
      app: members["app"]?.socketPath() ?? byDefault.app,
      admin: members["admin"]?.socketPath() ?? byDefault.admin,
      mode: members["mode"]?.permissionBits() ?? byDefault.mode,
      group: members["group"]?.gid())
    if app.utf8.elementsEqual(admin.utf8) {
      reader.report("app and admin cannot be one socket: authority comes from the socket as well as from the caller")
    }
  }
}

extension ValueReader {
  func socketPath() -> String? {
    guard let path = absolutePath() else { return nil }
    guard path.utf8.count <= SocketSettings.pathBytesMax else {
      report("a socket's path has at most \(SocketSettings.pathBytesMax) bytes; this has \(path.utf8.count)")
      return nil
    }
    return path
  }

  fileprivate func permissionBits() -> UInt32? {
    if case .number = value {
      report("expected text in quotes, found a number", hint: "write it in octal, as \"0660\"")
      return nil
    }
    guard let text = text() else { return nil }
    guard (3...4).contains(text.utf8.count), let bits = UInt32(text, radix: 8), bits <= 0o777 else {
      report("must be permission bits in octal, as \"0660\"")
      return nil
    }
    return bits
  }
}
