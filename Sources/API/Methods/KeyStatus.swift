import Accounts
import JSONRPC

/// Tells what each root key seals.
public enum KeyStatus: Method {
  public static let name: StaticString = "key.status"
  public static let summary: StaticString = "Tells what each key of the keyset seals."
  public static let description: StaticString = """
    Lists the keys in the order of the keyset as this daemon read it last, then those that something is sealed by and that \
    the keyset does not have. A key may be retired once no record is left that it seals.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public typealias Parameters = EmptyShape

  public struct Result: Shape, Equatable {
    public static let title = "KeyStatusResult"

    public var primary: ExactText = ""
    public var keys: [KeyShape] = []

    public init() {}

    public init(primary: ExactText, keys: [KeyShape]) {
      self.primary = primary
      self.keys = keys
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("primary", &primary, .text(bytes: 1...32), "The key that seals.")
      try visitor.member("keys", &keys, .items(1...1000), "Every key.")
    }
  }
}
