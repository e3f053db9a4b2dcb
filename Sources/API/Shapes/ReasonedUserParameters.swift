import Accounts

/// Which user an administrator acts on, and why.
public struct ReasonedUserParameters: Shape, Equatable {
  public static let title = "ReasonedUser"

  public var id = UserID.unset
  public var reason: ExactText = ""

  public init() {}

  public init(id: UserID, reason: ExactText) {
    self.id = id
    self.reason = reason
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, "Which user.")
    try visitor.member("reason", &reason, .reason, "Why; kept in the audit.")
  }
}
