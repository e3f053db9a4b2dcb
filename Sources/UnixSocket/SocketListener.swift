import EventLoop
import Glibc

/// Accepts connections on one listening Unix socket.
public final class SocketListener {
  /// Connections taken in one turn; the rest waits for the next, so that those already there are served in between.
  private static let acceptsPerTurn = 64
  /// How long to leave connections waiting when the process is out of file descriptors.
  private static let pauseWhenExhaustedMilliseconds: UInt64 = 100
  /// Connections the kernel holds until they are accepted.
  private static let backlog: Int32 = 4096

  private let loop: EventLoop
  private let descriptor: Int32
  /// Removed when the listener closes; nil for a socket that somebody else made.
  private let ownedPath: String?
  /// The socket that stood at the path when it was made.
  private let owned: Inode?
  private let accepted: (Int32) -> Void
  private var watch: DescriptorWatch?
  private var retry: LoopTimer?

  /// Listens on a socket made by ``bind(path:mode:gid:)`` or handed over by systemd.
  ///
  /// - Parameter accepted: gets each new connection's descriptor, non-blocking and close-on-exec, and owns it.
  public init(
    on loop: EventLoop, descriptor: Int32, ownedPath: String?, accepted: @escaping (Int32) -> Void
  ) throws(EventLoopError) {
    self.loop = loop
    self.descriptor = descriptor
    self.ownedPath = ownedPath
    owned = ownedPath.flatMap(Inode.init(path:))
    self.accepted = accepted
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let watch = try DescriptorWatch(on: loop, descriptor: descriptor) { [unowned self] _ in acceptWaiting() }
    watch.watch(for: .readable)
    self.watch = watch
  }

  deinit { close() }

  /// Stops accepting. Connections that wait are refused, unless the socket is systemd's, which keeps them.
  public func close() {
    guard let open = watch else { return }
    watch = nil
    retry = nil
    open.close()
    if let ownedPath, Inode(path: ownedPath) == owned { unlink(ownedPath) }
    Glibc.close(descriptor)
  }

  private func acceptWaiting() {
    for _ in 0..<Self.acceptsPerTurn {
      let connection = accept(descriptor, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFL, O_RDWR | O_NONBLOCK)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        accepted(connection)
        if watch == nil { return }
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return waitForResources()
      default: return
      }
    }
  }

  private func waitForResources() {
    watch?.watch(for: [])
    retry = LoopTimer(on: loop, afterMilliseconds: Self.pauseWhenExhaustedMilliseconds) { [unowned self] in
      retry = nil
      watch?.watch(for: .readable)
    }
  }
}

/// Which file stands at a path, whatever its name.
private struct Inode: Equatable {
  private let device: dev_t
  private let number: ino_t

  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}

extension SocketListener {
  /// Makes a listening socket at `path`.
  ///
  /// It appears there with its final owner and mode at once, and takes the place of a dead socket but never of a living one.
  ///
  /// - Parameters:
  ///   - mode: permission bits, such as 0o660.
  ///   - gid: the group to give it to; nil leaves the process's own.
  public static func bind(path: String, mode: UInt32, gid: UInt32?) throws(SocketError) -> Int32 {
    let address = try UnixAddress(path: path)
    try removeDeadSocket(at: address)
    // Of this process alone, because another may be starting at the same moment.
    let draftPath = "\(path).\(getpid())"
    let draft = draftPath.utf8.count <= UnixAddress.pathBytesMax ? try UnixAddress(path: draftPath) : address
    unlink(draft.path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", path: path, errno: errno) }
    do throws(SocketError) {
      try check("bind", path, draft.pass { Glibc.bind(descriptor, $0, $1) })
      if let gid { try check("chown", path, chown(draft.path, uid_t.max, gid)) }
      try check("chmod", path, chmod(draft.path, mode))
      try check("listen", path, listen(descriptor, backlog))
      if draft.path != path { try check("rename", path, rename(draft.path, path)) }
      return descriptor
    } catch {
      Glibc.close(descriptor)
      unlink(draft.path)
      throw error
    }
  }

  private static func removeDeadSocket(at address: UnixAddress) throws(SocketError) {
    var status = stat()
    guard lstat(address.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(address.path) }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    defer { Glibc.close(probe) }
    let answer = address.pass { connect(probe, $0, $1) }
    // Gone by now, if its process was just ending.
    guard answer != 0, errno == ECONNREFUSED || errno == ENOENT else { throw .inUse(address.path) }
    unlink(address.path)
  }

  private static func check(_ call: String, _ path: String, _ result: Int32) throws(SocketError) {
    if result != 0 { throw .system(call: call, path: path, errno: errno) }
  }
}
