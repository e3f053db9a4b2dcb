import EventLoop
import Glibc
import TestSupport
import Testing
import UnixSocket

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
  @Test func `huge writes arrive whole and in order`() async throws {
    try await Conversation.with(queuedBytesMax: 1 << 30) { talk in
      let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      talk.there.stream.resumeReading()
      for number in 0..<32 {
        talk.here.stream.write {
          $0 += piece; $0.append(UInt8(number))
        }
      }
      await talk.there.recorder.waitForBytes(32 * (piece.count + 1))
      let whole = (0..<32).flatMap { piece + [UInt8($0)] }
      #expect(talk.there.recorder.bytes == whole)
      #expect(talk.here.stream.queuedBytes == 0)
    }
  }

  @Test func `a half-closed peer still gets its answer`() async throws {
    try await Conversation.with { talk in
      talk.here.stream.resumeReading()
      talk.there.stream.resumeReading()
      talk.there.stream.write { $0 += Array("ask".utf8) }
      await talk.here.recorder.waitForBytes(3)
      shutdown(talk.there.stream.descriptor, Int32(SHUT_WR))
      #expect(await talk.here.recorder.next() == .end)
      #expect(talk.here.stream.isOpen)
      talk.here.stream.write { $0 += Array("answer".utf8) }
      await talk.there.recorder.waitForBytes(6)
      #expect(talk.there.recorder.bytes == Array("answer".utf8))
    }
  }

  @Test func `less than the limit may wait, and arrives when the peer reads at last`() async throws {
    try await Conversation.with(queuedBytesMax: 4 << 20) { talk in
      let bytes = [UInt8](repeating: 9, count: 4 << 20)
      talk.here.stream.write { $0 += bytes }
      await talk.loop.pause(milliseconds: 20)
      #expect(talk.here.stream.isOpen)
      #expect(talk.here.stream.queuedBytes > 0)
      talk.there.stream.resumeReading()
      await talk.there.recorder.waitForBytes(bytes.count)
      #expect(talk.there.recorder.bytes.count == bytes.count)
    }
  }

  @Test func `more than the limit reaches a peer that reads, at once and piece by piece`() async throws {
    try await Conversation.with(queuedBytesMax: 1000) { talk in
      let bytes = [UInt8](repeating: 9, count: 8 << 20)
      talk.there.stream.resumeReading()
      talk.here.stream.write { $0 += bytes }
      for piece in 1...100 {
        talk.here.stream.write { $0 += bytes[..<100_000] }
        // Each finds that more waits than may.
        await talk.there.recorder.waitForBytes(piece * 50_000)
      }
      let all = bytes.count + 100 * 100_000
      await talk.there.recorder.waitForBytes(all)
      #expect(talk.there.recorder.bytes.count == all)
      #expect(talk.here.stream.isOpen)
    }
  }

  @Test func `while more waits than may, nothing is read from the peer`() async throws {
    try await Conversation.with(queuedBytesMax: 1000) { talk in
      talk.here.stream.resumeReading()
      talk.here.stream.write { $0 += [UInt8](repeating: 9, count: 8 << 20) }
      // Until the kernel holds what it holds, and the stream knows.
      await talk.loop.pause(milliseconds: 1)
      talk.there.stream.write { $0 += [1, 2, 3] }
      await talk.loop.pause(milliseconds: 20)
      #expect(talk.here.recorder.bytes.isEmpty)
      talk.there.stream.resumeReading()
      await talk.here.recorder.waitForBytes(3)
      #expect(talk.here.stream.queuedBytes <= 1000)
    }
  }

  @Test func `a peer that stops to take what is more than may wait is closed`() async throws {
    try await Conversation.with(queuedBytesMax: 1000) { talk in
      talk.here.stream.write { $0 += [UInt8](repeating: 9, count: 8 << 20) }
      await talk.loop.pause(milliseconds: 1)
      // Enough that the kernel takes more.
      var taken = [UInt8](repeating: 0, count: 200_000)
      #expect(recv(talk.there.stream.descriptor, &taken, taken.count, 0) > 0)
      #expect(await talk.here.recorder.next() == .closed(.tooMuchQueued))
    }
  }

  @Test func `a peer that takes little by little what is more than may wait gets everything`() async throws {
    try await Conversation.with(queuedBytesMax: 1000) { talk in
      let count = 1 << 20
      talk.here.stream.write { $0 += [UInt8](repeating: 9, count: count) }
      // So little that the kernel takes nothing more meanwhile, for several times as long as a peer may take nothing.
      let taken = await talk.takeLittle(bytesPerMillisecond: 20, until: 60_000)
      try #require(talk.here.stream.isOpen)
      #expect(talk.here.stream.queuedBytes > count - 300_000)
      talk.there.stream.resumeReading()
      await talk.there.recorder.waitForBytes(count - taken)
      #expect(talk.there.recorder.bytes.count == count - taken)
      #expect(talk.here.stream.queuedBytes == 0)
    }
  }

  @Test func `nothing is read while reading is paused`() async throws {
    try await Conversation.with { talk in
      talk.there.stream.write { $0 += [1, 2, 3] }
      await talk.loop.pause(milliseconds: 20)
      #expect(talk.here.recorder.bytes.isEmpty)
      talk.here.stream.resumeReading()
      await talk.here.recorder.waitForBytes(3)
      #expect(talk.here.recorder.bytes == [1, 2, 3])
    }
  }

  @Test func `writes of one turn leave together`() async throws {
    try await Conversation.with { talk in
      talk.there.stream.resumeReading()
      for byte in UInt8(0)..<100 { talk.here.stream.write { $0.append(byte) } }
      var events = talk.there.recorder.events.makeAsyncIterator()
      #expect(await events.next() == .received(100))
    }
  }

  @Test(arguments: [true, false])
  func `what many get keeps its place among what one gets`(readsAtOnce: Bool) async throws {
    try await Conversation.with { talk in
      if readsAtOnce { talk.there.stream.resumeReading() }
      let shared = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      var whole: [UInt8] = []
      for number in UInt8(0)..<8 {
        // Some with something before them in the same turn, some without.
        if number.isMultiple(of: 2) { talk.here.stream.write { $0.append(number) } }
        talk.here.stream.write(shared: shared)
        if number.isMultiple(of: 3) { await talk.loop.pause(milliseconds: 0) }
        whole += (number.isMultiple(of: 2) ? [number] : []) + shared
      }
      talk.there.stream.resumeReading()
      await talk.there.recorder.waitForBytes(whole.count)
      #expect(talk.there.recorder.bytes == whole)
      #expect(talk.here.stream.queuedBytes == 0)
    }
  }

  @Test func `what many get is not kept for a peer that is gone`() async throws {
    try await Conversation.with { talk in
      talk.there.stream.close()
      talk.here.stream.write(shared: [1, 2, 3])
      #expect(await talk.here.recorder.next() == .closed(.byPeer))
      talk.here.stream.write(shared: [1, 2, 3])
      #expect(talk.here.stream.queuedBytes == 0)
    }
  }

  @Test func `a closed stream lets go of its owner, and both of their memory`() async throws {
    weak var recorder: Recorder?
    weak var stream: SocketStream?
    try await Conversation.with { talk in
      recorder = talk.here.recorder
      stream = talk.here.stream
      #expect(recorder != nil && stream != nil)
    }
    #expect(recorder == nil)
    #expect(stream == nil)
  }

  @Test func `descriptors that a peer passes along are not kept`() async {
    await #expect(processExitsWith: .success) {
      try await Conversation.with { talk in
        talk.here.stream.resumeReading()
        let before = OpenDescriptors.count
        for number in 1...100 {
          #expect(Self.pass(descriptor: 0, over: talk.there.stream.descriptor))
          await talk.here.recorder.waitForBytes(number)
        }
        // The runner of the test may open a few of its own meanwhile.
        #expect(OpenDescriptors.count < before + 10)
      }
    }
  }

  /// Sends one byte with a descriptor in an SCM_RIGHTS message.
  private static func pass(descriptor: Int32, over socket: Int32) -> Bool {
    // struct cmsghdr: length, level, type; then the descriptor, padded.
    var control: (Int, Int32, Int32, Int32, Int32) = (20, SOL_SOCKET, 1, descriptor, 0)
    var byte: UInt8 = 1
    return withUnsafeMutableBytes(of: &control) { control in
      withUnsafeMutableBytes(of: &byte) { byte in
        var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(socket, &message, 0) == 1
        }
      }
    }
  }
}

/// Two streams that are connected to each other, on one loop.
struct Conversation {
  struct End {
    let stream: SocketStream
    let recorder: Recorder
  }

  let loop: EventLoop
  let here: End
  let there: End

  /// Connects two streams, lends them on their loop to `body`, and closes them.
  static func with(queuedBytesMax: Int = 1 << 22, _ body: (Conversation) async throws -> Void) async throws {
    try await RunningLoop.with { loop in
      try await withTaskExecutorPreference(loop) { () async throws in
        let talk = try Conversation(on: loop, queuedBytesMax: queuedBytesMax)
        defer {
          talk.here.stream.close()
          talk.there.stream.close()
        }
        try await body(talk)
      }
    }
  }

  /// Has the end there take what has come, at a steady rate and without its stream.
  ///
  /// - Returns: how many bytes it took, once they are as many as told or no more come.
  func takeLittle(bytesPerMillisecond rate: Int, until count: Int) async -> Int {
    let start = loop.nowMilliseconds
    var taken = 0
    var buffer = [UInt8](repeating: 0, count: count)
    var timer: LoopTimer?
    await withCheckedContinuation { continuation in
      timer = LoopTimer(on: loop, afterMilliseconds: 10, everyMilliseconds: 10) {
        let due = min(Int(loop.nowMilliseconds - start) * rate, count) - taken
        let got = recv(there.stream.descriptor, &buffer, due, 0)
        taken += max(got, 0)
        guard got == 0 || taken >= count else { return }
        timer?.cancel()
        continuation.resume()
      }
    }
    return taken
  }

  private init(on loop: EventLoop, queuedBytesMax: Int) throws {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw EventLoopError(code: -errno) }
    self.loop = loop
    let streams = try ends.map { end throws(EventLoopError) in
      End(
        stream: try SocketStream(on: loop, descriptor: end, queuedBytesMax: queuedBytesMax), recorder: Recorder())
    }
    for end in streams { end.stream.owner = end.recorder }
    (here, there) = (streams[0], streams[1])
  }
}
