import Accounts
import JSONRPC

/// Looks for users.
public enum UserSearch: Method {
  public static let name: StaticString = "user.search"
  public static let summary: StaticString =
    "Looks for users by beginning of the id, e-mail address or domain, name or subject."
  public static let description: StaticString = "Answers page by page, the oldest user first."
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "UserSearchParameters"

    public var query: ExactText = ""
    public var status: UserStatus?
    public var page = Page()
    public var include: [Include]?

    public init() {}

    public init(query: ExactText, status: UserStatus? = nil, page: Page = Page(), include: [Include]? = nil) {
      self.query = query
      self.status = status
      self.page = page
      self.include = include
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("query", &query, .text(bytes: 1...320), "What to look for.")
      try visitor.member("status", &status, "Only users of this status.")
      try page.members(&visitor)
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of each user to answer with.")
    }
  }

  public typealias Result = ListResult<UserShape>
}
