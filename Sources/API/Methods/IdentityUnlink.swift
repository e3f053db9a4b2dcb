import Accounts
import JSONRPC

/// Takes an identity off its user.
public enum IdentityUnlink: Method {
  public static let name: StaticString = "identity.unlink"
  public static let summary: StaticString = "Takes an identity off its user."
  public static let description: StaticString = """
    Refused unless another usable way to sign in remains: another provider's identity, or a password together with a \
    verified address. What the identity alone vouched for is a mere claim then. It is not attached to this user by itself \
    again.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .userErased, .lastSignInMethod, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "IdentityUnlinkParameters"

    public var userID = UserID.unset
    public var identityID = IdentityID.unset
    public var reason: ExactText?

    public init() {}

    public init(userID: UserID, identityID: IdentityID, reason: ExactText? = nil) {
      self.userID = userID
      self.identityID = identityID
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("user_id", &userID, "Whose it is.")
      try visitor.member("identity_id", &identityID, "Which identity.")
      try visitor.member("reason", &reason, .reason, "Why; kept in the audit.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "IdentityUnlinkResult"

    public var unlinked = true

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("unlinked", &unlinked, "Always true.")
    }
  }
}
