import Accounts
import JSONRPC

/// Reads what happened.
public enum EventRead: Method {
  public static let name: StaticString = "event.read"
  public static let summary: StaticString = "Reads what happened next, waiting for it if asked to."
  public static let description: StaticString = """
    A consumer is made by its first read and goes on where it was acknowledged last: what was not is told again. Without \
    one, whoever calls keeps the cursor themselves. Each user's events come in their order. Where the next events are not \
    kept any more it is not_found, and data.cursor says where to go on.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .tooMany, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "EventReadParameters"

    public static let waitMillisecondsMax = 60_000

    public var consumer: ExactText?
    public var cursor: ExactText?
    public var from: EventOrigin?
    public var limit: Int?
    public var waitMilliseconds: Int?

    public init() {}

    public init(
      consumer: ExactText? = nil, cursor: ExactText? = nil, from: EventOrigin? = nil, limit: Int? = nil,
      waitMilliseconds: Int? = nil
    ) {
      self.consumer = consumer
      self.cursor = cursor
      self.from = from
      self.limit = limit
      self.waitMilliseconds = waitMilliseconds
    }

    /// The limit that holds.
    public var effectiveLimit: Int { limit ?? Page.limitDefault }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("consumer", &consumer, .consumer, "Who reads; another caller's of the same name is another.")
      try visitor.member("cursor", &cursor, .cursor, "Where to go on instead: one that was told before.")
      try visitor.member(
        "from", &from, "Where a new consumer, or who has neither consumer nor cursor, begins; oldest if left out.")
      try visitor.member("limit", &limit, .range(1...Page.limitMax), "How many events at most; 100 if left out.")
      try visitor.member(
        "wait_ms", &waitMilliseconds, .range(0...Self.waitMillisecondsMax),
        "How long to wait for an event, in milliseconds; not at all if left out.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "EventReadResult"

    public var events: [EventShape] = []
    public var cursor: ExactText = ""

    public init() {}

    public init(events: [EventShape], cursor: ExactText) {
      self.events = events
      self.cursor = cursor
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("events", &events, .items(0...Page.limitMax), "What happened; none when the time was over.")
      try visitor.member("cursor", &cursor, .cursor, "Acknowledges all of these; also where to go on.")
    }
  }
}
