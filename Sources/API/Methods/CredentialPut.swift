import JSONRPC

/// Keeps a secret, whether or not there is one.
public enum CredentialPut: Method {
  public static let name: StaticString = "credential.put"
  public static let summary: StaticString = "Keeps a secret, whether or not there is one."
  public static let description: StaticString = """
    Replaces the whole credential: what is left out is not there afterwards.
    """
  public static let changes = true
  public static let takesSecret = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public typealias Parameters = WholeCredentialParameters
  public typealias Result = CredentialAnswer
}
