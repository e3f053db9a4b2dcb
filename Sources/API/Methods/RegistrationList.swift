import Accounts
import JSONRPC

/// Lists held registrations.
public enum RegistrationList: Method {
  public static let name: StaticString = "registration.list"
  public static let summary: StaticString = "Lists held registrations, the oldest first."
  public static let description: StaticString = """
    Answers page by page, with attempts and the last reason. With email only those in whose details the address \
    stands.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "RegistrationListParameters"

    public var email: ExactText?
    public var page = Page()

    public init() {}

    public init(email: ExactText? = nil, page: Page = Page()) {
      self.email = email
      self.page = page
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("email", &email, .email, "Only those with this address.")
      try page.members(&visitor)
    }
  }

  public typealias Result = ListResult<RegistrationShape>
}
