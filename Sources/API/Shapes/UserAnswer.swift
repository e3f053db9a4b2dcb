/// A user after a change.
public struct UserAnswer: Shape, Equatable {
  public static let title = "UserAnswer"

  public var user = UserShape()

  public init() {}

  public init(user: UserShape) {
    self.user = user
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("user", &user, "The user as they are now.")
  }
}
