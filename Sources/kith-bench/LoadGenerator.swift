import CLinux
import Glibc

/// Calls the daemon over a number of connections, one call in flight on each, from one thread.
struct LoadGenerator {
  struct Figures {
    var histogram = Histogram()
    var seconds = 0.0
    var failures = 0
    var firstFailure: String?

    var callsPerSecond: Double { Double(histogram.count) / seconds }
  }

  /// Longer than any answer here.
  private static let answerBytesMax = 65_536

  private let descriptors: [Int32]
  private let poll: Int32

  init(socketPath: String, connections: Int) throws {
    poll = epoll_create1(0)
    var open: [Int32] = []
    for position in 0..<connections {
      let descriptor = try Self.connect(socketPath)
      open.append(descriptor)
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.u32 = UInt32(position)
      epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
    }
    descriptors = open
  }

  func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    Glibc.close(poll)
  }

  func run(_ workload: Workload, users: Int, seconds: Double, serial: inout Int) -> Figures {
    var figures = Figures()
    var generator = SystemRandomNumberGenerator()
    var started = [UInt64](repeating: 0, count: descriptors.count)
    var next = serial
    func send(_ position: Int) {
      next += 1
      let number = Int.random(in: 0..<users, using: &generator)
      var line = #"{"jsonrpc":"2.0","id":\#(position),"method":"signin.resolve","params":"#
        + workload.parameters(number: number, serial: next) + "}\n"
      started[position] = Self.now()
      line.withUTF8 { _ = Glibc.send(descriptors[position], $0.baseAddress, $0.count, 0) }
    }
    let begin = Self.now()
    let end = begin + UInt64(seconds * 1e9)
    for position in descriptors.indices { send(position) }
    var inFlight = descriptors.count
    var events = [epoll_event](repeating: epoll_event(), count: 512)
    var buffer = [UInt8](repeating: 0, count: Self.answerBytesMax)
    let expected = workload.outcome
    while inFlight > 0 {
      let count = Int(epoll_wait(poll, &events, Int32(events.count), 5000))
      guard count > 0 else {
        figures.failures += inFlight
        figures.firstFailure = figures.firstFailure ?? "no answer within 5 s"
        break
      }
      let now = Self.now()
      for event in events[..<count] {
        let position = Int(event.data.u32)
        let length = recv(descriptors[position], &buffer, buffer.count - 1, 0)
        buffer[max(length, 0)] = 0
        inFlight -= 1
        guard length > 0, Self.contains(expected, in: buffer) else {
          figures.failures += 1
          figures.firstFailure = figures.firstFailure ?? String(decoding: buffer[..<max(length, 0)], as: UTF8.self)
          continue
        }
        figures.histogram.add(nanoseconds: now - started[position])
        if now < end {
          send(position)
          inFlight += 1
        }
      }
    }
    figures.seconds = Double(Self.now() - begin) / 1e9
    serial = next
    return figures
  }


  /// - Parameter buffer: ends with a zero.
  private static func contains(_ text: String, in buffer: [UInt8]) -> Bool {
    buffer.withUnsafeBytes { bytes in
      bytes.baseAddress.map { strstr($0.assumingMemoryBound(to: CChar.self), text) != nil } ?? false
    }
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func connect(_ path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnsafePointer(to: &address) { pointer in
      UnsafeRawPointer(pointer).withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Program.Failure(description: "cannot connect to \(path)") }
    return descriptor
  }
}
