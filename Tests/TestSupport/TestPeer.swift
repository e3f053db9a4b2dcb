import EventLoop
import Glibc
import JSON

/// A client that knows nothing but bytes and lines, at the other end of a real Unix socket.
///
/// It never blocks a thread, and what it waits for comes within ``patienceMilliseconds`` or fails the test.
///
/// `@unchecked Sendable`: its state belongs to the thread of the loop that all peers share; other threads only hand work to
/// that loop, which keeps it in order.
public final class TestPeer: @unchecked Sendable {
  /// The daemon said nothing for too long.
  public struct Silence: Error {}

  /// The connection ended where an answer was due.
  public struct Ended: Error {}

  private struct Wait {
    let count: Int
    let end: (Result<[[UInt8]], any Error>) -> Void
    let patience: LoopTimer
  }

  /// Far above what the slowest answer takes on a busy machine.
  private static let patienceMilliseconds: UInt64 = 60_000
  private static let readBytes = 65_536
  private static let slowBytesPerMillisecond = 50
  private static let slowMilliseconds: UInt64 = 10

  private static let shared = Result<EventLoop, any Error> {
    let loop = try EventLoop()
    try loop.start(name: "test-peers")
    return loop
  }

  private let loop: EventLoop
  /// For what only the system call itself can do.
  public let descriptor: Int32
  private var watch: DescriptorWatch?
  private var output: [UInt8] = []
  private var sent = 0
  private var endsAfterSending = false
  private var part: [UInt8] = []
  private var lines: [[UInt8]] = []
  private var hasEnded = false
  private var isReading = true
  /// Runs while what comes is taken slowly.
  private var slowReading: LoopTimer?
  private var wait: Wait?
  private var callCount = 0

  /// Takes over a connected descriptor.
  public init(descriptor: Int32) throws {
    loop = try Self.shared.get()
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    loop.perform { [self] in
      watch = try? DescriptorWatch(on: loop, descriptor: descriptor) { [unowned self] in ready($0) }
      updateWatch()
    }
  }

  /// Connects to a socket by its path.
  public convenience init(path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnsafeBytes(of: address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { Glibc.connect(descriptor, $0.baseAddress, socklen_t(raw.count)) }
    }
    guard descriptor >= 0, result == 0 else {
      let problem = errno
      Glibc.close(descriptor)
      throw SystemCallFailure(call: "connect \(path)", errno: problem)
    }
    try self.init(descriptor: descriptor)
  }

  /// Lets go of the connection. To be called at the end of its use.
  public func close() {
    loop.perform { [self] in
      guard watch != nil else { return }
      watch?.close()
      watch = nil
      slowReading = nil
      Glibc.close(descriptor)
      hasEnded = true
      finishWait()
    }
  }

  // MARK: Sending

  public func send(bytes: [UInt8]) {
    loop.perform { [self] in
      output += bytes
      flush()
    }
  }

  /// Sends one line.
  public func send(_ line: String) { send(bytes: Array((line + "\n").utf8)) }

  /// Returns once the kernel has what was sent before, or as much of it as it takes.
  public func handedOver() async {
    await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
  }

  /// Says that nothing more will be sent, once everything is; answers can still come.
  public func finishSending() {
    loop.perform { [self] in
      endsAfterSending = true
      flush()
    }
  }

  // MARK: Receiving

  /// So many lines, or fewer if the connection ends before.
  public func lines(_ count: Int) async throws -> [[UInt8]] {
    try await withCheckedThrowingContinuation { continuation in
      loop.perform { [self] in
        let patience = LoopTimer(on: loop, afterMilliseconds: Self.patienceMilliseconds) { [unowned self] in
          wait?.end(.failure(Silence()))
          wait = nil
        }
        wait = Wait(count: count, end: { continuation.resume(with: $0) }, patience: patience)
        finishWait()
      }
    }
  }

  /// The next line; nil if the connection ends before.
  public func line() async throws -> [UInt8]? { try await lines(1).first }

  public func answer() async throws -> WireAnswer {
    guard let line = try await line() else { throw Ended() }
    return try WireAnswer(line: line)
  }

  public func answers(_ count: Int) async throws -> [WireAnswer] {
    try await lines(count).map { try WireAnswer(line: $0) }
  }

  /// What still comes until the daemon ends the connection.
  public func untilEnd() async throws -> [WireAnswer] { try await answers(.max) }

  /// Calls a method and waits for the answer. One call at a time.
  public func call(_ method: String, _ params: String = "{}") async throws -> WireAnswer {
    callCount += 1
    send(Self.call(method, params, id: "\(callCount)"))
    return try await answer()
  }

  /// The text of a call.
  public static func call(_ method: String, _ params: String = "{}", id: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
  }

  /// Leaves what comes in the kernel's hands.
  public func pauseReading() {
    loop.perform { [self] in
      isReading = false
      updateWatch()
    }
  }

  public func resumeReading() {
    loop.perform { [self] in
      isReading = true
      slowReading = nil
      updateWatch()
    }
  }

  /// Takes little by little what comes, 50 kilobytes a second, until ``resumeReading()``.
  public func readSlowly() {
    loop.perform { [self] in
      isReading = false
      updateWatch()
      var last = loop.nowMilliseconds
      slowReading = LoopTimer(
        on: loop, afterMilliseconds: Self.slowMilliseconds, everyMilliseconds: Self.slowMilliseconds
      ) { [unowned self] in
        read(bytesMax: min(Int(loop.nowMilliseconds - last) * Self.slowBytesPerMillisecond, Self.readBytes))
        last = loop.nowMilliseconds
      }
    }
  }

  // MARK: On the loop

  private func ready(_ readiness: DescriptorWatch.Readiness) {
    if readiness.contains(.writable) { flush() }
    if readiness.contains(.readable) { read(bytesMax: Self.readBytes) }
  }

  private func updateWatch() {
    var wanted: DescriptorWatch.Readiness = []
    if isReading, !hasEnded { wanted.insert(.readable) }
    if sent < output.count, !hasEnded { wanted.insert(.writable) }
    watch?.watch(for: wanted)
  }

  private func flush() {
    while sent < output.count, !hasEnded {
      let count = output.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        break
      } else {
        // The daemon ended the connection; what it said before is still to be read.
        sent = output.count
      }
    }
    if sent == output.count {
      output = []
      sent = 0
      if endsAfterSending { shutdown(descriptor, Int32(SHUT_WR)) }
    }
    updateWatch()
  }

  private func read(bytesMax: Int) {
    guard watch != nil, !hasEnded else { return }
    var chunk = [UInt8](repeating: 0, count: bytesMax)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end() }
    chunk.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
        let length = UnsafeRawPointer(end) - start
        part.append(contentsOf: rest[..<length])
        lines.append(part)
        part = []
        rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
      }
      part.append(contentsOf: rest)
    }
    finishWait()
  }

  private func end() {
    hasEnded = true
    updateWatch()
    finishWait()
  }

  private func finishWait() {
    guard let wait, lines.count >= wait.count || hasEnded else { return }
    self.wait = nil
    let taken = Array(lines.prefix(wait.count))
    lines.removeFirst(taken.count)
    wait.end(.success(taken))
  }
}

/// A system call of a test that failed.
public struct SystemCallFailure: Error, CustomStringConvertible {
  public let call: String
  public let errno: Int32

  public var description: String { "\(call): \(String(cString: strerror(errno)))" }
}
