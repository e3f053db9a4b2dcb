import Glibc

/// An app that follows the events on a connection: it reads all of them, sees that none is missing, and says from time to
/// time how far it is.
final class EventConsumer {
  /// Between two acknowledgements, as of an app that applies what it was told in a transaction.
  private static let acknowledgeNanoseconds = 100_000_000
  private static let bufferBytes = 65_536
  private static let event = Array(#"{"jsonrpc":"2.0","method":"event","params":{"cursor":""#.utf8)
  private static let answer = Array(#"{"jsonrpc":"2.0","id":1,"result":{"cursor":""#.utf8)

  private let name: String
  private let client: Client
  private let era: Substring
  /// Of the last event that was told.
  private var place: Int
  /// When it was.
  private(set) var toldNanoseconds = 0
  private var acknowledged: Int
  private var isAcknowledging = false
  private var askedNanoseconds = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventConsumer.bufferBytes, alignment: 16)
  private var length = 0

  /// Subscribes to what happens from now on.
  init(_ name: String, socket: String) throws(BenchFailure) {
    self.name = name
    client = try Client(socket)
    try client.ask(#""method":"event.subscribe","params":{"consumer":"\#(name)","from":"now"}"#)
    let cursor = String(decoding: client.answerText(of: "cursor") ?? [], as: UTF8.self).split(separator: ".")
    guard cursor.count == 2, let place = Int(cursor[1]) else {
      throw BenchFailure("kithd told no cursor: \(client.answer)")
    }
    era = cursor[0]
    self.place = place
    acknowledged = place
  }

  deinit { buffer.deallocate() }

  /// As ``Client/beWatched(by:as:)``.
  func beWatched(by poll: Int32, as index: Int) { client.beWatched(by: poll, as: index) }

  func close() { client.close() }

  /// Whether it has everything up to a place, and has said so.
  func isDone(at end: Int) -> Bool { place == end && acknowledged == end }

  /// Takes what has come.
  func read() throws(BenchFailure) {
    guard let base = buffer.baseAddress else { return }
    let count = Glibc.read(client.descriptor, base + length, buffer.count - length)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { throw count == 0 ? BenchFailure("kithd closed a consumer") : .system("an event") }
    let before = place
    var start = base
    let end = base + length + count
    while let newline = memchr(start, Int32(UInt8(ascii: "\n")), end - start) {
      try take(UnsafeRawBufferPointer(start: start, count: newline - start))
      start = newline + 1
    }
    if place > before { toldNanoseconds = MonotonicTime.nanoseconds() }
    length = end - start
    guard length < buffer.count else { throw BenchFailure("an event has no end") }
    memmove(base, start, length)
  }

  func acknowledgeIfDue() throws(BenchFailure) {
    guard place > acknowledged, !isAcknowledging else { return }
    let now = MonotonicTime.nanoseconds()
    guard now - askedNanoseconds >= Self.acknowledgeNanoseconds else { return }
    (isAcknowledging, askedNanoseconds) = (true, now)
    let parameters = #"{"consumer":"\#(name)","cursor":"\#(era).\#(place)"}"#
    try client.send(Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"event.ack\",\"params\":\(parameters)}\n".utf8))
  }

  private func take(_ line: UnsafeRawBufferPointer) throws(BenchFailure) {
    if let told = Self.place(in: line, after: Self.event) {
      guard told == place + 1 else {
        throw BenchFailure("\(name) was told the event at \(told) after that at \(place)")
      }
      place = told
    } else if let answered = Self.place(in: line, after: Self.answer) {
      (acknowledged, isAcknowledging) = (answered, false)
    } else {
      throw BenchFailure("kithd told a consumer: \(String(decoding: line, as: UTF8.self))")
    }
  }

  /// The place of the cursor that follows an opening.
  private static func place(in line: UnsafeRawBufferPointer, after opening: [UInt8]) -> Int? {
    guard let start = line.baseAddress, line.count > opening.count, memcmp(start, opening, opening.count) == 0 else {
      return nil
    }
    var place: Int?
    for byte in line[opening.count...] {
      switch byte {
      case UInt8(ascii: "."): place = 0
      case UInt8(ascii: "0")...UInt8(ascii: "9"): place = place.map { $0 * 10 + Int(byte - UInt8(ascii: "0")) }
      default: return place
      }
    }
    return nil
  }
}
