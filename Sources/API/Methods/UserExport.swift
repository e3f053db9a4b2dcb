import Accounts
import JSONRPC

/// Tells a person everything that is held about them.
public enum UserExport: Method {
  public static let name: StaticString = "user.export"
  public static let summary: StaticString = "Gives everything that is held about a person, as one document."
  public static let description: StaticString = """
    All of it is of one moment, also what is held under former ids. It has no secrets. An export that does not fit into
    an answer is refused as too_large.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .userErased, .tooLarge, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "UserExportParameters"

    public var id = UserID.unset

    public init() {}

    public init(id: UserID) {
      self.id = id
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("id", &id, "The user's id, or a former one.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "UserExportResult"

    public var export = UserExportShape()

    public init() {}

    public init(export: UserExportShape) {
      self.export = export
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("export", &export, "The document.")
    }
  }
}
