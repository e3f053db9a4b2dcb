import Accounts

/// One page of a list.
public struct ListResult<Item: Shape>: Shape {
  public static var title: String { "\(Item.title)List" }

  public var items: [Item] = []
  /// Where the next page begins; absent on the last.
  public var next: ExactText?

  public init() {}

  public init(items: [Item], next: ExactText? = nil) {
    self.items = items
    self.next = next
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("items", &items, .items(0...Page.limitMax), "The items of this page.")
    try visitor.member("next", &next, .place, "What to give as after for the next page; absent on the last.")
  }
}

extension ListResult: Equatable where Item: Equatable {}
