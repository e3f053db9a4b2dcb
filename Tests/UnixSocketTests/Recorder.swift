import EventLoop
import UnixSocket

/// Keeps what a stream tells, and lets a test wait for it.
///
/// `@unchecked Sendable`: it is touched on its stream's loop only.
final class Recorder: SocketStreamOwner, @unchecked Sendable {
  enum Event: Equatable, Sendable {
    case received(Int)
    case end
    case closed(SocketStream.CloseReason)
  }

  private(set) var bytes: [UInt8] = []
  private(set) var closeCount = 0
  let events: AsyncStream<Event>
  private let teller: AsyncStream<Event>.Continuation

  init() {
    (events, teller) = AsyncStream<Event>.makeStream()
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
    teller.yield(.received(self.bytes.count))
  }

  func receivedEnd() { teller.yield(.end) }
  func wroteEverything() {}
  func wrotePart() {}

  func closed(_ reason: SocketStream.CloseReason) {
    closeCount += 1
    teller.yield(.closed(reason))
  }

  /// The next event other than bytes that came in.
  func next() async -> Event? {
    for await event in events {
      if case .received = event { continue }
      return event
    }
    return nil
  }

  /// Returns once so many bytes have come in.
  func waitForBytes(_ count: Int) async {
    guard bytes.count < count else { return }
    for await event in events {
      if case .received(let total) = event, total >= count { return }
    }
  }
}
