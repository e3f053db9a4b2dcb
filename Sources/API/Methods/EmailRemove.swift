import Accounts
import JSONRPC

/// Takes an address off a user.
public enum EmailRemove: Method {
  public static let name: StaticString = "email.remove"
  public static let summary: StaticString = "Takes an address off a user."
  public static let description: StaticString = """
    No sign-in brings it back, whatever a provider says of it; email.add does. Refused where only a password without a \
    verified address would be left.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .userErased, .lastSignInMethod, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "EmailRemoveParameters"

    public var place = EmailPlaceMembers()
    public var reason: ExactText?

    public init() {}

    public init(userID: UserID, email: ExactText, reason: ExactText? = nil) {
      place = EmailPlaceMembers(userID: userID, email: email)
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
      try visitor.member("reason", &reason, .reason, "Why; kept in the audit.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "EmailRemoveResult"

    public var removed = true

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("removed", &removed, "Always true.")
    }
  }
}
