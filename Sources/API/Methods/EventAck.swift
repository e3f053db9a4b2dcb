import Accounts
import JSONRPC

/// Says that events are done with.
public enum EventAck: Method {
  public static let name: StaticString = "event.ack"
  public static let summary: StaticString = "Says that the app is done with all events up to a cursor."
  public static let description: StaticString = """
    What is acknowledged is not told again to this consumer. An earlier cursor than before changes nothing.
    """
  public static let changes = true
  public static let isRepeatable = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "EventAckParameters"

    public var consumer: ExactText = ""
    public var cursor: ExactText = ""

    public init() {}

    public init(consumer: ExactText, cursor: ExactText) {
      self.consumer = consumer
      self.cursor = cursor
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("consumer", &consumer, .consumer, "Whose.")
      try visitor.member("cursor", &cursor, .cursor, "Of the last event that is done with, or of a whole answer.")
    }
  }

  public typealias Result = EventPosition
}

/// Where somebody is in the events.
public struct EventPosition: Shape, Equatable {
  public static let title = "EventPosition"

  public var cursor: ExactText = ""

  public init() {}

  public init(cursor: ExactText) {
    self.cursor = cursor
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("cursor", &cursor, .cursor, "Everything up to here is done with.")
  }
}
