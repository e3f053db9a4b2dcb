import Accounts
import JSONRPC

/// Deletes a credential.
public enum CredentialDelete: Method {
  public static let name: StaticString = "credential.delete"
  public static let summary: StaticString = "Deletes a credential."
  public static let description: StaticString = """
    Its history stays. With a reason the audit tells of it as well.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "CredentialDeleteParameters"

    public var place = CredentialPlaceMembers()
    public var reason: ExactText?

    public init() {}

    public init(place: CredentialPlaceMembers, reason: ExactText? = nil) {
      self.place = place
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
      try visitor.member("reason", &reason, .reason, "Why an administrator does it; kept in the audit.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "CredentialDeleteResult"

    public var deleted = true

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("deleted", &deleted, "Always true.")
    }
  }
}
