import Accounts
import JSONRPC

/// Lists credentials without their secrets.
public enum CredentialList: Method {
  public static let name: StaticString = "credential.list"
  public static let summary: StaticString = "Lists credentials without their secrets."
  public static let description: StaticString = """
    Only those of the caller's access groups, in the order of access group, account and service, page by page.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "CredentialListParameters"

    public var accessGroup: ExactText?
    public var account: ExactText?
    public var service: ExactText?
    public var userID: UserID?
    public var page = Page()

    public init() {}

    public init(
      accessGroup: ExactText? = nil, account: ExactText? = nil, service: ExactText? = nil, userID: UserID? = nil,
      page: Page = Page()
    ) {
      self.accessGroup = accessGroup
      self.account = account
      self.service = service
      self.userID = userID
      self.page = page
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("access_group", &accessGroup, .credentialName, "Only those of this access group.")
      try visitor.member("account", &account, .credentialName, "Only those of this account.")
      try visitor.member("service", &service, .credentialName, "Only those for this service.")
      try visitor.member("user_id", &userID, "Only those of this user; a former id means the survivor.")
      try page.members(&visitor)
    }
  }

  public typealias Result = ListResult<CredentialShape>
}
