import JSON

/// An answer that refuses: the error object of JSON-RPC, with what Kith adds to it.
///
/// Message and hint are read by people and may hold no SQL, host names, secrets or other people's data.
public struct RPCError: Error, Equatable, Sendable {
  public var reason: ErrorReason
  /// A sentence for a person.
  public var message: String
  /// What the person could do about it.
  public var hint: String?
  /// Whether the same call may succeed a little later.
  public var isRetryable: Bool
  /// Under what the call is found in the daemon's journal.
  public var requestID: String?
  public var details: [ErrorDetail]

  /// - Parameter message: the reason's own sentence if left out.
  public init(
    _ reason: ErrorReason, _ message: String? = nil, hint: String? = nil, requestID: String? = nil,
    details: [ErrorDetail] = []
  ) {
    self.reason = reason
    self.message = message ?? reason.message
    self.hint = hint
    self.isRetryable = reason.isRetryable
    self.requestID = requestID
    self.details = details
  }

  /// A limit was exceeded by the size of something (`too_large`) or by a number of things (`too_many`).
  public static func limit(_ name: LimitName, max: Int) -> RPCError {
    switch name {
    case .frameBytes:
      RPCError(.tooLarge, "The line is longer than \(max) bytes.", details: [.limit(name, max: max)])
    case .nesting:
      RPCError(.tooLarge, "The message is nested more than \(max) deep.", details: [.limit(name, max: max)])
    case .batchCalls:
      RPCError(.tooMany, "The batch has more than \(max) calls.", details: [.limit(name, max: max)])
    case .callsInFlight:
      RPCError(.tooMany, "More than \(max) calls are in flight.", details: [.limit(name, max: max)])
    case .answerBytesQueued:
      RPCError(.tooLarge, "More than \(max) bytes of answers wait to be read.", details: [.limit(name, max: max)])
    case .frameSeconds:
      RPCError(.tooLarge, "The line was not complete within \(max) seconds.", details: [.limit(name, max: max)])
    case .connectionsPerUID:
      RPCError(.tooMany, "The uid has more than \(max) connections.", details: [.limit(name, max: max)])
    }
  }

  /// The value of the `path` detail.
  public var path: String? {
    for case .path(let path) in details { return path }
    return nil
  }

  /// The value of the `user_id` detail: the user to whom something belongs, where the caller may see it.
  public var userID: String? {
    for case .userID(let id) in details { return id }
    return nil
  }

  /// The value of the `cursor` detail: where in the events to go on, when the next ones are not kept any more.
  public var cursor: String? {
    for case .cursor(let cursor) in details { return cursor }
    return nil
  }

  /// The value of the `kept` detail: whether what a refused sign-in said of the person is kept until it can be written. Nil
  /// where nothing is to be kept.
  public var isKept: Bool? {
    for case .kept(let isKept) in details { return isKept }
    return nil
  }

  /// Writes the error object.
  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("code")
    writer.integer(reason.code)
    writer.member("message")
    writer.string(message)
    writer.member("data")
    writer.beginObject()
    writer.member("reason")
    writer.string(reason.rawValue)
    if let hint {
      writer.member("hint")
      writer.string(hint)
    }
    writer.member("retryable")
    writer.bool(isRetryable)
    if let requestID {
      writer.member("request_id")
      writer.string(requestID)
    }
    for detail in details { detail.write(into: &writer) }
    writer.endObject()
    writer.endObject()
  }
}

extension ErrorDetail {
  fileprivate func write(into writer: inout JSONWriter) {
    switch self {
    case .path(let path):
      writer.member("path")
      writer.string(path)
    case .problem(let problem):
      writer.member("problem")
      writer.string(problem.rawValue)
    case .limit(let name, let max):
      writer.member("limit")
      writer.string(name.rawValue)
      writer.member("max")
      writer.integer(max)
    case .retryAfter(let milliseconds):
      writer.member("retry_after_ms")
      writer.integer(milliseconds)
    case .userID(let id):
      writer.member("user_id")
      writer.string(id)
    case .laterMergeID(let id):
      writer.member("later_merge_id")
      writer.string(id)
    case .cursor(let cursor):
      writer.member("cursor")
      writer.string(cursor)
    case .kept(let isKept):
      writer.member("kept")
      writer.bool(isKept)
    }
  }
}
