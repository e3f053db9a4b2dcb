import Accounts
import JSONRPC

/// Adds an identity to a user who is signed in.
public enum IdentityLink: Method {
  public static let name: StaticString = "identity.link"
  public static let summary: StaticString = "Adds an identity to a user who is signed in."
  public static let description: StaticString = """
    What the claims say of an address counts as at a sign-in, and what is held of the person goes along. An identity that \
    is the user's already stays as it is and is answered again.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [
    .notFound, .userErased, .userDisabled, .linkForbidden, .identityLinkedElsewhere, .namespaceUnknown,
    .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "IdentityLinkParameters"

    public var userID = UserID.unset
    /// nil only before decoding.
    public private(set) var claims: ClaimsShape?
    public private(set) var evidence: RawJSON?
    public var reason: ExactText?

    public init() {}

    public init(userID: UserID, claims: ClaimsShape, reason: ExactText? = nil) {
      self.userID = userID
      self.claims = claims
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("user_id", &userID, "To whom; a former id means the survivor.")
      try visitor.member("claims", &claims, "What the caller has verified of the identity.")
      try visitor.member("evidence", &evidence, .evidence, "Not served by this version.")
      try visitor.member("reason", &reason, .reason, "Why; kept in the audit.")
    }

    public func contradiction() -> ShapeProblem? {
      if evidence != nil { return .evidenceIsNotServed }
      return claims == nil ? ShapeProblem(.missing, at: "claims", "is required") : nil
    }
  }

  public typealias Result = IdentityAnswer
}
