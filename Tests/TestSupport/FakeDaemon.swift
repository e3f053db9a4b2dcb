import EventLoop
import FoundationEssentials
import Synchronization
import UnixSocket

/// Listens where a daemon would and says only what a test has it say: each connection is handed to the test as a
/// ``TestPeer``.
public final class FakeDaemon: Sendable {
  private struct State {
    var accepted: [TestPeer] = []
    var waiting: [CheckedContinuation<TestPeer, Never>] = []
  }

  /// `@unchecked Sendable`: made, used and let go of on the loop's thread only.
  private final class Listener: @unchecked Sendable {
    var socket: SocketListener?
  }

  public let path: String
  private let loop: EventLoop
  private let listener = Listener()
  private let state = Mutex(State())

  /// Lends a fake daemon to `body` and closes what it accepted.
  public static func with<Value>(_ body: (FakeDaemon) async throws -> Value) async throws -> Value {
    let daemon = try FakeDaemon(path: "/tmp/kith-fake-\(UUID().uuidString.prefix(13)).sock")
    defer { daemon.stop() }
    return try await body(daemon)
  }

  private init(path: String) throws {
    self.path = path
    loop = try EventLoop()
    try loop.start(name: "fake-daemon")
    let descriptor = try SocketListener.bind(path: path, mode: 0o600, gid: nil)
    loop.perform { [self] in
      listener.socket = try? SocketListener(on: loop, descriptor: descriptor, ownedPath: path) { [unowned self] in
        take($0)
      }
    }
  }

  /// The next connection.
  public func accept() async -> TestPeer {
    await withCheckedContinuation { continuation in
      let peer = state.withLock { state -> TestPeer? in
        guard state.accepted.isEmpty else { return state.accepted.removeFirst() }
        state.waiting.append(continuation)
        return nil
      }
      if let peer { continuation.resume(returning: peer) }
    }
  }

  private func take(_ descriptor: Int32) {
    guard let peer = try? TestPeer(descriptor: descriptor) else { return }
    let continuation = state.withLock { state -> CheckedContinuation<TestPeer, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.accepted.append(peer)
      return nil
    }
    continuation?.resume(returning: peer)
  }

  private func stop() {
    loop.perform { [self] in
      listener.socket?.close()
      listener.socket = nil
      loop.stop()
    }
  }
}
