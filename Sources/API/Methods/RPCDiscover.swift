import Accounts
import JSONRPC

/// Describes the interface.
public enum RPCDiscover: Method {
  public static let name: StaticString = "rpc.discover"
  public static let summary: StaticString = "Describes every method as an OpenRPC document."
  public static let description: StaticString = "Printed from the definitions that decode the calls."
  public static let changes = false
  public static let errors: [ErrorReason] = []

  public typealias Parameters = EmptyShape

  /// An OpenRPC document.
  public struct Result: Shape, Equatable {
    public static let title = "OpenRPC"

    private static let partBytesMax = 1024 * 1024

    public var openrpc: ExactText = ""
    public var info = RawJSON("{}")
    public var methods = RawJSON("[]")
    public var components = RawJSON("{}")

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("openrpc", &openrpc, .text(bytes: 1...16), "The version of OpenRPC.")
      try visitor.member("info", &info, .object(bytesMax: Self.partBytesMax), "What is described.")
      try visitor.member("methods", &methods, .any(bytesMax: Self.partBytesMax), "The methods.")
      try visitor.member("components", &components, .object(bytesMax: Self.partBytesMax), "Schemas they share.")
    }
  }
}
