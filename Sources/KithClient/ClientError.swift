import JSONRPC

/// Why a call gave no result.
public enum ClientError: Error, Sendable {
  /// The daemon's answer is no; `RPCError.reason` is what programs match on. After `isRetryable` the same call may succeed a
  /// little later.
  case refused(RPCError)
  /// Nobody serves at the socket, or we may not connect: nothing was sent.
  case unreachable(path: String, why: String)
  /// The connection broke and did not come back in time. A call that changes something may have happened: repeat it with the
  /// same request key to learn what came of it.
  case connectionLost(path: String)
  /// The daemon did not answer in time. What holds for ``connectionLost(path:)`` holds here.
  case timedOut(seconds: Double)
  /// The calling task was cancelled. What holds for ``connectionLost(path:)`` holds here.
  case cancelled
  /// The peer does not speak as a daemon of Kith does.
  case invalidAnswer(String)
}

extension ClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let error): error.message
    case .unreachable(let path, let why): "the daemon cannot be reached at \(path): \(why)"
    case .connectionLost(let path): "the connection to the daemon at \(path) broke"
    case .timedOut(let seconds): "the daemon did not answer within \(seconds) s"
    case .cancelled: "the call was cancelled"
    case .invalidAnswer(let what): "the daemon's answer is not one: \(what)"
    }
  }
}
