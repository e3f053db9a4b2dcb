/// No members: the parameters of a method that takes none.
public struct EmptyShape: Shape, Equatable {
  public static let title = "Empty"

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {}
}
