import Accounts

/// Which part of a list is wanted: members that the parameters of every list have.
public struct Page: Equatable, Sendable {
  public static let limitDefault = 100
  /// So many items are still answered quickly and in one line.
  public static let limitMax = 1000

  public var limit: Int?
  public var after: ExactText?

  public init(limit: Int? = nil, after: ExactText? = nil) {
    self.limit = limit
    self.after = after
  }

  /// The limit that holds.
  public var effectiveLimit: Int { limit ?? Self.limitDefault }

  mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("limit", &limit, .range(1...Self.limitMax), "How many items at most; 100 if left out.")
    try visitor.member("after", &after, .place, "Where to go on: the next of the page before.")
  }
}
