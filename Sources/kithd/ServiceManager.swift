import EventLoop
import Glibc

/// Tells systemd how the daemon does, by the protocol of sd_notify(3): a datagram to the socket it names.
final class ServiceManager: Sendable {
  private let path: String?
  private let watchdogMicroseconds: UInt64?

  init() {
    path = Self.variable("NOTIFY_SOCKET")
    let isForUs = Self.variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    watchdogMicroseconds = isForUs ? Self.variable("WATCHDOG_USEC").flatMap { UInt64($0) } : nil
  }

  func notify(_ state: String) {
    guard let path, var address = Self.address(path) else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    _ = withUnsafePointer(to: &address) { pointer in
      UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  /// Tells systemd, at twice the rate it asks for, that `alive` returned: a loop that hangs is found out.
  func watchdog(on loop: EventLoop, _ alive: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
    guard let watchdogMicroseconds else { return nil }
    return Task(executorPreference: loop) {
      while !Task.isCancelled {
        await alive()
        self.notify("WATCHDOG=1")
        await loop.pause(milliseconds: max(1, watchdogMicroseconds / 2000))
      }
    }
  }

  /// Whether standard error leads to the journal: systemd names the descriptor that it connected (systemd.exec(5)).
  static var journalReadsErrors: Bool {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return variable("JOURNAL_STREAM") == "\(status.st_dev):\(status.st_ino)"
  }

  /// A name that begins with `@` is of the abstract kind, whose first byte is zero.
  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), let first = bytes.first else { return nil }
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
