import Accounts
import JSONRPC

/// Drops a held registration.
public enum RegistrationDiscard: Method {
  public static let name: StaticString = "registration.discard"
  public static let summary: StaticString = "Drops a held registration with its details."
  public static let description: StaticString = """
    What the person said is gone for good; the next sign-in begins anew.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "RegistrationDiscardParameters"

    public var registrationID = RegistrationID.unset
    public var reason: ExactText?

    public init() {}

    public init(registrationID: RegistrationID, reason: ExactText? = nil) {
      self.registrationID = registrationID
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("registration_id", &registrationID, "Which registration.")
      try visitor.member("reason", &reason, .reason, "Why; kept in the audit.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "RegistrationDiscardResult"

    public var discarded = true

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("discarded", &discarded, "Always true.")
    }
  }
}
