import EventLoop
import Glibc
import Synchronization
import Testing
import UnixSocket

@Suite struct UnixSocketTests {
  /// A folder of one test's own, with a short name because a socket's address holds 107 bytes.
  private func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    var template = Array("/tmp/kith-us-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SocketError.notASocket("/tmp") }
    let folder = String(cString: made)
    defer { removeFolder(folder) }
    return try await body(folder)
  }

  private func removeFolder(_ folder: String) {
    guard let listing = opendir(folder) else { return }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        UnsafeRawPointer($0).withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink(folder + "/" + name)
    }
    closedir(listing)
    rmdir(folder)
  }

  private func withLoop<Value>(_ body: (EventLoop) async throws -> Value) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "test-loop")
    defer { loop.stop() }
    return try await body(loop)
  }

  @Test func `two thousand connections at once are all accepted`() async throws {
    try await withFolder { folder in
      try await withLoop { loop in
        let path = folder + "/s"
        let listening = try SocketListener.bind(path: path, mode: 0o600, gid: nil)
        let accepted = Mutex(0)
        let (finished, finish) = AsyncStream.makeStream(of: Void.self)
        loop.perform {
          let holder = Holder()
          holder.listener = try? SocketListener(on: loop, descriptor: listening, ownedPath: path) { descriptor in
            close(descriptor)
            let count = accepted.withLock { count in
              count += 1
              return count
            }
            guard count == 2000 else { return }
            holder.listener?.close()
            holder.listener = nil
            finish.finish()
          }
        }
        for _ in 0..<2000 { close(try SocketStream.connect(path: path)) }
        for await _ in finished {}
        #expect(accepted.withLock { $0 } == 2000)
        #expect(access(path, F_OK) != 0)
      }
    }
  }

  private final class Holder {
    var listener: SocketListener?
  }

  // MARK: Peers

  @Test func `the kernel tells who the peer is`() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let peer = try #require(PeerCredentials(ofSocket: ends[0]))
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = Int(getgroups(1024, &groups))
    #expect(peer.uid == geteuid())
    #expect(peer.gids == [getegid()] + groups.prefix(count))
  }

  // MARK: Streams

  /// Collects what a stream tells.
  private final class Listener: SocketStreamOwner, @unchecked Sendable {
    var bytes: [UInt8] = []
    var reasons: [SocketStream.CloseReason] = []
    var whenClosed: (() -> Void)?
    var whenEnded: (() -> Void)?
    func received(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    func receivedEnd() { whenEnded?() }
    func wroteEverything() {}
    func wrotePart() {}
    func closed(_ reason: SocketStream.CloseReason) {
      reasons.append(reason)
      whenClosed?()
    }
  }

  private func pair() -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    for end in ends { _ = fcntl(end, F_SETFL, O_RDWR | O_NONBLOCK) }
    return (ends[0], ends[1])
  }

  @Test func `a peer that never reads is closed at the limit`() async throws {
    try await withLoop { loop in
      let (ours, theirs) = pair()
      defer { close(theirs) }
      let reasons = await withCheckedContinuation {
        (continuation: CheckedContinuation<[SocketStream.CloseReason], Never>) in
        loop.perform {
          let listener = Listener()
          nonisolated(unsafe) let stream = try? SocketStream(on: loop, descriptor: ours, queuedBytesMax: 100_000)
          stream?.owner = listener
          listener.whenClosed = {
            #expect(stream?.isOpen == false)
            continuation.resume(returning: listener.reasons)
          }
          stream?.write { $0.append(contentsOf: [UInt8](repeating: 1, count: 10_000_000)) }
        }
      }
      #expect(reasons == [.tooMuchQueued])
    }
  }

  @Test func `a write to a peer that is gone closes the stream once`() async throws {
    try await withLoop { loop in
      let (ours, theirs) = pair()
      close(theirs)
      let reasons = await withCheckedContinuation {
        (continuation: CheckedContinuation<[SocketStream.CloseReason], Never>) in
        loop.perform {
          let listener = Listener()
          nonisolated(unsafe) let stream = try? SocketStream(on: loop, descriptor: ours, queuedBytesMax: 1000)
          stream?.owner = listener
          listener.whenClosed = {
            stream?.close()
            loop.perform { continuation.resume(returning: listener.reasons) }
          }
          stream?.write { $0.append(1) }
        }
      }
      #expect(reasons == [.byPeer])
    }
  }
}
