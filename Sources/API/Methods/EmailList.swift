import JSONRPC

/// Lists the e-mail addresses of a user.
public enum EmailList: Method {
  public static let name: StaticString = "email.list"
  public static let summary: StaticString = "Lists the e-mail addresses of a user."
  public static let description: StaticString = """
    Answers page by page, in the order of the canonical forms, with what vouches for each.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .userErased, .databaseUnavailable]

  public typealias Parameters = UserPageParameters
  public typealias Result = ListResult<EmailShape>
}
