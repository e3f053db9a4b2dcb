import Accounts
import JSONRPC

/// Has events pushed.
public enum EventSubscribe: Method {
  public static let name: StaticString = "event.subscribe"
  public static let summary: StaticString = "Has what happens pushed on this connection, as notifications called event."
  public static let description: StaticString = """
    From where the consumer was acknowledged last, each as the members of an event, until the connection ends. Whoever \
    reads slowly gets them slowly; none is left out. A connection has one subscription. Several connections may subscribe \
    to one consumer: each gets everything.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .tooMany, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "EventSubscribeParameters"

    public var consumer: ExactText = ""
    public var from: EventOrigin?

    public init() {}

    public init(consumer: ExactText, from: EventOrigin? = nil) {
      self.consumer = consumer
      self.from = from
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("consumer", &consumer, .consumer, "Who reads; another caller's of the same name is another.")
      try visitor.member("from", &from, "Where a new consumer begins; oldest if left out.")
    }
  }

  public typealias Result = EventPosition
}
