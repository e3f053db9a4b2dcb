import JSONRPC

/// Answers at once.
public enum SystemPing: Method {
  public static let name: StaticString = "system.ping"
  public static let summary: StaticString = "Answers at once, without the database."
  public static let description: StaticString = "Shows that the daemon reads and writes."
  public static let changes = false
  public static let errors: [ErrorReason] = []

  public typealias Parameters = EmptyShape

  public struct Result: Shape, Equatable {
    public static let title = "SystemPingResult"

    public var ok = true

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("ok", &ok, "True.")
    }
  }
}
