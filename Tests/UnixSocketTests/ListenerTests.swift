import EventLoop
import Glibc
import TestSupport
import Testing
import UnixSocket

@Suite struct ListenerTests {
  @Test func `without free descriptors connections wait, nothing spins, and they are taken later`() async {
    await #expect(processExitsWith: .success) {
      try await SocketFolder.with { folder in
        try await RunningLoop.with { loop in
          try await withTaskExecutorPreference(loop) { () async throws in
            let reception = try Reception(at: folder["app.sock"], on: loop)
            let client = try SocketStream.connect(path: reception.path)
            let later = try SocketStream.connect(path: reception.path)
            let fillers = Self.useUpDescriptors()
            let before = Self.threadMicroseconds
            await loop.pause(milliseconds: 350)
            #expect(loop.isCurrent)
            #expect(Self.threadMicroseconds - before < 20_000)
            for filler in fillers { close(filler) }
            var next = reception.arrivals.makeAsyncIterator()
            for _ in 0..<2 { close(try #require(await next.next())) }
            reception.listener.close()
            close(client)
            close(later)
          }
        }
      }
    }
  }

  /// Opens what may be opened; gives what it opened.
  private static func useUpDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var opened: [Int32] = []
    while true {
      let descriptor = dup(0)
      guard descriptor >= 0 else { return opened }
      opened.append(descriptor)
    }
  }

  private static var threadMicroseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}

/// A listener whose connections are taken one by one.
struct Reception {
  let path: String
  let listener: SocketListener
  let arrivals: AsyncStream<Int32>

  init(at path: String, on loop: EventLoop) throws {
    self.path = path
    let (arrivals, teller) = AsyncStream<Int32>.makeStream()
    self.arrivals = arrivals
    let descriptor = try SocketListener.bind(path: path, mode: 0o666, gid: nil)
    listener = try SocketListener(on: loop, descriptor: descriptor, ownedPath: path) { teller.yield($0) }
  }
}
