import Accounts
import JSONRPC

/// Gives the daemon's metrics.
public enum ServerMetrics: Method {
  public static let name: StaticString = "server.metrics"
  public static let summary: StaticString = "Gives the daemon's metrics as OpenMetrics text."
  public static let description: StaticString = "To be handed to a collector as it is, with its content type."
  public static let changes = false
  public static let errors: [ErrorReason] = []

  public typealias Parameters = EmptyShape

  public struct Result: Shape, Equatable {
    public static let title = "ServerMetricsResult"

    /// Room for every metric with all its labels.
    private static let textBytesMax = 1024 * 1024

    public var contentType: ExactText = ""
    public var text: ExactText = ""

    public init() {}

    public init(contentType: ExactText, text: ExactText) {
      self.contentType = contentType
      self.text = text
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("content_type", &contentType, .text(bytes: 1...255), "The media type of the text.")
      try visitor.member("text", &text, .text(bytes: 1...Self.textBytesMax), "The metrics.")
    }
  }
}
