/// The limits of the wire as configured.
public struct LimitsShape: Shape, Equatable {
  public static let title = "Limits"

  public var frameBytes = 0
  public var batchCalls = 0
  public var nesting = 0
  public var callsInFlight = 0
  public var answerBytesQueued = 0
  public var frameSeconds = 0
  public var connectionsPerUID = 0

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("frame_bytes", &frameBytes, .count, "How long a line may be, its end not counted.")
    try visitor.member("batch_calls", &batchCalls, .count, "How many calls a batch may have.")
    try visitor.member("nesting", &nesting, .count, "How deep a line may be nested.")
    try visitor.member("calls_in_flight", &callsInFlight, .count, "How many calls of one connection run at once.")
    try visitor.member(
      "answer_bytes_queued", &answerBytesQueued, .count, "How many bytes of answers may wait to be read.")
    try visitor.member(
      "frame_seconds", &frameSeconds, .count, "Within how many seconds of its first byte a line must be complete.")
    try visitor.member(
      "connections_per_uid", &connectionsPerUID, .count, "How many connections one uid may have open.")
  }
}
