import JSONRPC

/// Tells what was done to a credential.
public enum CredentialHistory: Method {
  public static let name: StaticString = "credential.history"
  public static let summary: StaticString = "Tells what was done to a credential."
  public static let description: StaticString = """
    Also when it is gone. Answers page by page, the oldest change first; never with a secret.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "CredentialHistoryParameters"

    public var place = CredentialPlaceMembers()
    public var page = Page()

    public init() {}

    public init(place: CredentialPlaceMembers, page: Page = Page()) {
      self.place = place
      self.page = page
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
      try page.members(&visitor)
    }
  }

  public typealias Result = ListResult<CredentialVersionShape>
}
