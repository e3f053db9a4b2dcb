import JSONRPC

/// Lists the identities of a user.
public enum IdentityList: Method {
  public static let name: StaticString = "identity.list"
  public static let summary: StaticString = "Lists the identities of a user."
  public static let description: StaticString = "Answers page by page, the oldest first."
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .userErased, .databaseUnavailable]

  public typealias Parameters = UserPageParameters
  public typealias Result = ListResult<IdentityShape>
}
