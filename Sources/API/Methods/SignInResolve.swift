import Accounts
import JSONRPC

/// Signs a person in by claims that the backend vouches for itself.
public enum SignInResolve: Method {
  public static let name: StaticString = "signin.resolve"
  public static let summary: StaticString = "Which of our users is this? Signs a person in by asserted claims."
  public static let description: StaticString = """
    The identity decides first; an address decides only if the provider of this very identity is trusted for it and \
    says that it is verified. The same claims give the same user, however many calls race.
    """
  public static let changes = true
  public static let takesSecret = true
  public static let bringsDetails = true
  public static let errors: [ErrorReason] = [
    .userDisabled, .namespaceUnknown, .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "SignInResolveParameters"

    public var claims = ClaimsShape()
    /// nil for what the configuration says.
    public var register: RegisterChoice?
    /// nil for what the configuration says.
    public var link: LinkChoice?
    public var include: [Include]?

    public init() {}

    public init(
      claims: ClaimsShape, register: RegisterChoice? = nil, link: LinkChoice? = nil, include: [Include]? = nil
    ) {
      self.claims = claims
      self.register = register
      self.link = link
      self.include = include
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try claims.members(&visitor)
      try visitor.member("register", &register, "What to do with a person whom nobody knows.")
      try visitor.member("link", &link, "What to do if a user holds the address as verified.")
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of the user to answer with.")
    }
  }

  public typealias Result = SignInResult
}
