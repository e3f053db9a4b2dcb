import Accounts
import JSONRPC

/// Lists the audit trail.
public enum AuditList: Method {
  public static let name: StaticString = "audit.list"
  public static let summary: StaticString = "Lists who changed what and why, the newest first."
  public static let description: StaticString = "Never with a secret or an address. Page by page."
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "AuditListParameters"

    public var userID: UserID?
    public var page = Page()

    public init() {}

    public init(userID: UserID? = nil, page: Page = Page()) {
      self.userID = userID
      self.page = page
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member(
        "user_id", &userID,
        "Only what concerned this user, a merge into another one included, or somebody who was merged into them.")
      try page.members(&visitor)
    }
  }

  public typealias Result = ListResult<AuditShape>
}
