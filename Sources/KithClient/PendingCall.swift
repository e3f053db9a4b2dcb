import JSONRPC

/// One call of a client, from its beginning to its one outcome. It belongs to the client's loop.
final class PendingCall {
  let id: Int64
  /// The whole message, so that a repeat has the same bytes and with them the same request key.
  let line: [UInt8]
  /// Until when it waits for a connection.
  let patienceEndMilliseconds: UInt64
  let deadlineMilliseconds: UInt64
  let timeoutSeconds: Double
  /// Whether it has no patience at all.
  let isInAHurry: Bool
  /// Whether the daemon may have seen it.
  var wasSent = false
  /// The last answer that only said "later".
  var postponement: RPCError?
  private let finish: (Result<[UInt8], ClientError>) -> Void

  init(
    id: Int64, line: [UInt8], timing: CallTiming, nowMilliseconds: UInt64,
    finish: @escaping (Result<[UInt8], ClientError>) -> Void
  ) {
    self.id = id
    self.line = line
    timeoutSeconds = timing.timeoutSeconds
    isInAHurry = timing.patienceSeconds <= 0
    deadlineMilliseconds = nowMilliseconds + CallTiming.milliseconds(timing.timeoutSeconds)
    patienceEndMilliseconds = nowMilliseconds + CallTiming.milliseconds(timing.patienceSeconds)
    self.finish = finish
  }

  func succeed(_ result: [UInt8]) { finish(.success(result)) }

  func fail(_ error: ClientError) { finish(.failure(error)) }
}

/// How long a call may take.
struct CallTiming: Sendable {
  /// Longer than anybody waits; keeps the sum of times far from overflow.
  private static let secondsMax = 86_400.0

  let timeoutSeconds: Double
  /// How long it waits for a daemon that is not there.
  let patienceSeconds: Double

  static func milliseconds(_ seconds: Double) -> UInt64 {
    UInt64(min(max(seconds, 0), secondsMax) * 1000)
  }
}
