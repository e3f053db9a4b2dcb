import Accounts
import JSONRPC

/// Adds an address to a user, and makes the token that proves it.
public enum EmailAdd: Method {
  public static let name: StaticString = "email.add"
  public static let summary: StaticString = "Adds an address to a user and gives the token that proves it."
  public static let description: StaticString = """
    The caller sends the token to the address; email.verify takes it back. Until then the address is a mere claim, which \
    finds nobody. A second call makes another token, and the one before is dead. An address that was removed can come \
    back from then on.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [
    .notFound, .userErased, .userDisabled, .emailTaken, .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "EmailAddParameters"

    public var place = EmailPlaceMembers()

    public init() {}

    public init(userID: UserID, email: ExactText) {
      place = EmailPlaceMembers(userID: userID, email: email)
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "EmailAddResult"

    public var email = EmailShape()
    public var token = SecretText(copying: [])
    public var expiresAt = Timestamp.unset

    public init() {}

    public init(email: EmailShape, token: SecretText, expiresAt: Timestamp) {
      self.email = email
      self.token = token
      self.expiresAt = expiresAt
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("email", &email, "The address as it stands now.")
      try visitor.member("token", &token, .emailToken, "To be sent to the address, and to nobody else.")
      try visitor.member("expires_at", &expiresAt, "Until when the token is good.")
    }
  }
}

extension TextLimits {
  /// Longer than any that is given out.
  static let emailToken = TextLimits.text(bytes: 1...255)
}
