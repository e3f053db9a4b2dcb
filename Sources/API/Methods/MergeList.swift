import Accounts
import JSONRPC

/// Lists merges.
public enum MergeList: Method {
  public static let name: StaticString = "merge.list"
  public static let summary: StaticString = "Lists merges, done and undone, the newest first."
  public static let description: StaticString =
    "With user_id those of which this very user was one of the two; a former id is not followed to its survivor."
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "MergeListParameters"

    public var userID: UserID?
    public var page = Page()

    public init() {}

    public init(userID: UserID? = nil, page: Page = Page()) {
      self.userID = userID
      self.page = page
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("user_id", &userID, "Only merges of this user.")
      try page.members(&visitor)
    }
  }

  public typealias Result = ListResult<MergeShape>
}
