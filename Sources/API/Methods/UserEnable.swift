import JSONRPC

/// Lets a disabled user sign in again.
public enum UserEnable: Method {
  public static let name: StaticString = "user.enable"
  public static let summary: StaticString = "Lets a disabled user sign in again."
  public static let description: StaticString = "A user who is active already stays so."
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .userErased, .databaseUnavailable]

  public typealias Parameters = ReasonedUserParameters
  public typealias Result = UserAnswer
}
