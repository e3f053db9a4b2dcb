import JSONRPC

/// Keeps a user from signing in.
public enum UserDisable: Method {
  public static let name: StaticString = "user.disable"
  public static let summary: StaticString = "Keeps a user from signing in."
  public static let description: StaticString =
    "Sign-ins of a disabled user are refused as user_disabled. A user who is disabled already stays so."
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .userErased, .databaseUnavailable]

  public typealias Parameters = ReasonedUserParameters
  public typealias Result = UserAnswer
}
