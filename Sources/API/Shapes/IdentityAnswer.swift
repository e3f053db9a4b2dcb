/// An identity after a change.
public struct IdentityAnswer: Shape, Equatable {
  public static let title = "IdentityAnswer"

  public var identity = IdentityShape()

  public init() {}

  public init(identity: IdentityShape) {
    self.identity = identity
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("identity", &identity, "The identity as it is now.")
  }
}
