import EventLoop
import Glibc
import TestSupport

/// A service manager's socket, as sd_notify(3) has it: keeps what the daemon tells.
///
/// `@unchecked Sendable`: its state belongs to its loop's thread.
final class NotifySocket: @unchecked Sendable {
  struct Unavailable: Error {
    let errno: Int32
  }

  private let loop: EventLoop
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var messages: [String] = []
  private var waits: [(text: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  private init(path: String) throws {
    loop = try EventLoop()
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafeBytes(of: address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(raw.count)) }
    }
    guard descriptor >= 0, result == 0 else { throw Unavailable(errno: errno) }
    try loop.start(name: "notify")
  }

  /// Lends a socket at a path to `body`.
  static func with(path: String, _ body: (NotifySocket) async throws -> Void) async throws {
    let manager = try NotifySocket(path: path)
    defer {
      manager.loop.perform {
        manager.watch?.close()
        close(manager.descriptor)
        manager.loop.stop()
      }
    }
    try await withTaskExecutorPreference(manager.loop) { () async throws in
      manager.watch = try DescriptorWatch(on: manager.loop, descriptor: manager.descriptor) { [unowned manager] _ in
        manager.receive()
      }
      manager.watch?.watch(for: .readable)
    }
    try await body(manager)
  }

  /// What has been told so far.
  var told: [String] {
    get async { await withTaskExecutorPreference(loop) { messages } }
  }

  /// Returns once a message was told so often.
  func wait(for text: String, count: Int = 1) async {
    await withCheckedContinuation { continuation in
      loop.perform { [self] in
        waits.append((text, count, continuation))
        endWaits()
      }
    }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return endWaits() }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }

  private func endWaits() {
    waits.removeAll { wait in
      let isOver = messages.count { $0.hasPrefix(wait.text) } >= wait.count
      if isOver { wait.continuation.resume() }
      return isOver
    }
  }
}
