import Accounts
import JSONRPC

/// Takes the token back that was sent to an address.
public enum EmailVerify: Method {
  public static let name: StaticString = "email.verify"
  public static let summary: StaticString = "Proves an address by the token that was sent there."
  public static let description: StaticString = """
    The token is good once. From then on the user holds the address as verified; those who only claimed it lose it.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [
    .notFound, .userErased, .userDisabled, .proofRejected, .challengeUsed, .challengeExpired, .emailTaken,
    .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "EmailVerifyParameters"

    public var place = EmailPlaceMembers()
    public var token = SecretText(copying: [])

    public init() {}

    public init(userID: UserID, email: ExactText, token: SecretText) {
      place = EmailPlaceMembers(userID: userID, email: email)
      self.token = token
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
      try visitor.member("token", &token, .emailToken, "What email.add gave.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "EmailVerifyResult"

    public var email = EmailShape()

    public init() {}

    public init(email: EmailShape) {
      self.email = email
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("email", &email, "The address as it stands now.")
    }
  }
}
