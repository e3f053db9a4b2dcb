import Glibc

/// One connection to the daemon.
final class Client {
  /// More than any answer to a sign-in or a ping has.
  private static let answerBytesMax = 16_384

  let descriptor: Int32
  private(set) var sentAt = 0
  private let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Client.answerBytesMax + 1)
  private var length = 0

  init(_ path: String) throws(BenchFailure) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system("a socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw BenchFailure("\(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw .system(path) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit {
    buffer.deallocate()
  }

  func send(_ line: [UInt8]) throws(BenchFailure) {
    length = 0
    sentAt = MonotonicTime.nanoseconds()
    // A line is far smaller than a socket's buffer, and the one before has been answered.
    guard write(descriptor, line, line.count) == line.count else { throw .system("a call to kithd") }
  }

  /// - Returns: whether the answer is complete.
  func readAnswer() throws(BenchFailure) -> Bool {
    guard let base = buffer.baseAddress else { return false }
    let count = read(descriptor, base + length, Client.answerBytesMax - length)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0 else { throw count == 0 ? BenchFailure("kithd closed a connection") : .system("an answer") }
    length += count
    buffer[length] = 0
    if buffer[length - 1] == CChar(UInt8(ascii: "\n")) { return true }
    guard length < Client.answerBytesMax else { throw BenchFailure("an answer has no end: \(answer)") }
    return false
  }

  func close() { Glibc.close(descriptor) }

  func answerHolds(_ text: String) -> Bool { buffer.baseAddress.map { strstr($0, text) != nil } ?? false }

  var answer: String { buffer.baseAddress.map { String(cString: $0) } ?? "" }

  /// Asks whether anybody is there, and waits for the answer.
  func ping() throws(BenchFailure) {
    try send(Array(#"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#.utf8) + [UInt8(ascii: "\n")])
    var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat {
      guard poll(&watch, 1, 10_000) > 0 else { throw BenchFailure("kithd does not answer a ping") }
    } while try !readAnswer()
    guard answerHolds("\"result\"") else { throw BenchFailure("kithd answered a ping with \(answer)") }
  }
}
