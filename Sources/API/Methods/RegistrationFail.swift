import Accounts
import JSONRPC

/// Counts a failure of the app's own step.
public enum RegistrationFail: Method {
  public static let name: StaticString = "registration.fail"
  public static let summary: StaticString = "Tells that the app's own step failed."
  public static let description: StaticString = """
    Counts an attempt and keeps the reason; the next sign-in of the person goes on from what is held.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "RegistrationFailParameters"

    public var registrationID = RegistrationID.unset
    public var reason: ExactText = ""

    public init() {}

    public init(registrationID: RegistrationID, reason: ExactText) {
      self.registrationID = registrationID
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("registration_id", &registrationID, "Which registration.")
      try visitor.member("reason", &reason, .reason, "Why; stored as it is, so it may not tell a secret.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "RegistrationFailResult"

    public var attempts = 0

    public init() {}

    public init(attempts: Int) {
      self.attempts = attempts
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("attempts", &attempts, .count, "How many attempts have failed.")
    }
  }
}
