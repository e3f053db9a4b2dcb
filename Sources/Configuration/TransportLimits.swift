/// How much one peer may ask of the daemon; each is named in the answer that refuses.
public struct TransportLimits: Hashable, Sendable {
  /// Bytes of one line, the newline not counted.
  public let frameBytesMax: Int
  public let batchCallsMax: Int
  /// Levels of objects and lists, counted from the outermost value.
  public let nestingMax: Int
  /// Calls of one connection that are not answered; above it reading pauses.
  public let callsInFlightMax: Int
  /// Bytes of answers that one connection has not read; above it the connection is closed.
  public let answerBytesQueuedMax: Int
  /// From the first byte of a line to its last.
  public let frameSecondsMax: Double
  public let connectionsPerUIDMax: Int

  public init(
    frameBytesMax: Int = 1 << 20, batchCallsMax: Int = 1000, nestingMax: Int = 64, callsInFlightMax: Int = 256,
    answerBytesQueuedMax: Int = 4 << 20, frameSecondsMax: Double = 10, connectionsPerUIDMax: Int = 4096
  ) {
    self.frameBytesMax = frameBytesMax
    self.batchCallsMax = batchCallsMax
    self.nestingMax = nestingMax
    self.callsInFlightMax = callsInFlightMax
    self.answerBytesQueuedMax = answerBytesQueuedMax
    self.frameSecondsMax = frameSecondsMax
    self.connectionsPerUIDMax = connectionsPerUIDMax
  }
}

extension TransportLimits {
  /// The lower ends leave room for every method's least call; the upper ones are what one process can bear.
  private enum Range {
    static let frameBytes = 4096...(64 << 20)
    static let batchCalls = 1...100_000
    static let nesting = 8...512
    static let callsInFlight = 1...65_536
    static let answerBytesQueued = 65_536...(1 << 30)
    static let frameSecondsMax = 3600.0
    static let connectionsPerUID = 1...1_000_000
  }

  private static let keys = [
    "frame_bytes", "batch_calls", "nesting", "calls_in_flight", "answer_bytes_queued", "frame_seconds",
    "connections_per_uid",
  ]

  init?(reading reader: ValueReader) {
    guard let members = reader.members(Self.keys) else { return nil }
    let byDefault = TransportLimits()
    self.init(
      frameBytesMax: members["frame_bytes"]?.wholeNumber(in: Range.frameBytes) ?? byDefault.frameBytesMax,
      batchCallsMax: members["batch_calls"]?.wholeNumber(in: Range.batchCalls) ?? byDefault.batchCallsMax,
      nestingMax: members["nesting"]?.wholeNumber(in: Range.nesting) ?? byDefault.nestingMax,
      callsInFlightMax: members["calls_in_flight"]?.wholeNumber(in: Range.callsInFlight)
        ?? byDefault.callsInFlightMax,
      answerBytesQueuedMax: members["answer_bytes_queued"]?.wholeNumber(in: Range.answerBytesQueued)
        ?? byDefault.answerBytesQueuedMax,
      frameSecondsMax: members["frame_seconds"]?.number(above: 0, through: Range.frameSecondsMax)
        ?? byDefault.frameSecondsMax,
      connectionsPerUIDMax: members["connections_per_uid"]?.wholeNumber(in: Range.connectionsPerUID)
        ?? byDefault.connectionsPerUIDMax)
  }
}
