import Accounts

/// A list of what belongs to one user.
public struct UserPageParameters: Shape, Equatable {
  public static let title = "UserPage"

  public var userID = UserID.unset
  public var page = Page()

  public init() {}

  public init(userID: UserID, page: Page = Page()) {
    self.userID = userID
    self.page = page
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("user_id", &userID, "Whose.")
    try page.members(&visitor)
  }
}
