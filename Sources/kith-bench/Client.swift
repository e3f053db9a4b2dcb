import CLinux
import Glibc

/// One connection to the daemon.
final class Client {
  /// More than any answer has, which is the plan of a merge that tells of a thousand identities and addresses. What an
  /// answer does not fill takes no memory.
  private static let answerBytesMax = 1 << 20

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

  /// Has an epoll tell, by a number, when there is something to read.
  func beWatched(by poll: Int32, as index: Int) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u32 = UInt32(index)
    epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
  }

  func close() { Glibc.close(descriptor) }

  func answerHolds(_ text: String) -> Bool { buffer.baseAddress.map { strstr($0, text) != nil } ?? false }

  var answer: String { buffer.baseAddress.map { String(cString: $0) } ?? "" }

  /// What the first member of a name in the answer says, which must be text that needs no escapes.
  func answerText(of member: String) -> [UInt8]? {
    guard let base = buffer.baseAddress, let found = strstr(base, "\"\(member)\":\"") else { return nil }
    let start = found + member.utf8.count + 4
    guard let end = strchr(start, Int32(UInt8(ascii: "\""))) else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: end - start))
  }

  /// Asks whether anybody is there, and waits for the answer.
  func ping() throws(BenchFailure) { try ask(#""method":"system.ping""#) }

  /// Calls, and waits for the answer, which must be a result.
  ///
  /// - Parameter call: the members of the call that say what is asked.
  func ask(_ call: String) throws(BenchFailure) {
    try send(Array("{\"jsonrpc\":\"2.0\",\"id\":1,\(call)}\n".utf8))
    var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat {
      guard poll(&watch, 1, 10_000) > 0 else { throw BenchFailure("kithd does not answer \(call)") }
    } while try !readAnswer()
    guard answerHolds("\"result\"") else { throw BenchFailure("kithd answered \(call) with \(answer)") }
  }
}
