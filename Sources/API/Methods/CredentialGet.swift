import JSONRPC

/// Gives a credential with its secret.
public enum CredentialGet: Method {
  public static let name: StaticString = "credential.get"
  public static let summary: StaticString = "Gives a credential with its secret."
  public static let description: StaticString = """
    The only method that does.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public typealias Parameters = CredentialPlaceParameters
  public typealias Result = CredentialAnswer
}
