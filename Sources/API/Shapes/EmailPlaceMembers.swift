import Accounts

/// Which address of which user: members that the parameters have of the methods that change one.
public struct EmailPlaceMembers: Equatable, Sendable {
  public var userID = UserID.unset
  public var email: ExactText = ""

  public init() {}

  public init(userID: UserID, email: ExactText) {
    self.userID = userID
    self.email = email
  }

  mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("user_id", &userID, "Whose.")
    try visitor.member("email", &email, .email, "The address.")
  }
}
