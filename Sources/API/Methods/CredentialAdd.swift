import JSONRPC

/// Keeps a secret that is not kept yet.
public enum CredentialAdd: Method {
  public static let name: StaticString = "credential.add"
  public static let summary: StaticString = "Keeps a secret that is not kept yet."
  public static let description: StaticString = """
    Refused as credential_exists where there is one with this access group, account and service. One that has \
    expired counts as gone.
    """
  public static let changes = true
  public static let takesSecret = true
  public static let errors: [ErrorReason] = [.notFound, .credentialExists, .databaseUnavailable]

  public typealias Parameters = WholeCredentialParameters
  public typealias Result = CredentialAnswer
}
