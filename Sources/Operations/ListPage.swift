import Accounts

/// One part of a list.
public struct ListPage<Item: Sendable>: Sendable {
  public let items: [Item]
  /// Where the next page begins; nil on the last.
  public let next: ExactText?

  /// - Parameters:
  ///   - probed: the items of the page, and one more if there is another page.
  ///   - place: where an item stands in the list.
  init<Key>(_ probed: [Item], _ request: PageRequest<Key>, place: (Item) -> ExactText) {
    items = Array(probed.prefix(request.limit))
    next = probed.count > request.limit ? items.last.map(place) : nil
  }

  private init(items: [Item], next: ExactText?) {
    self.items = items
    self.next = next
  }

  /// The same page with each item told in another way.
  func map<Other: Sendable>(_ transform: ([Item]) -> [Other]) -> ListPage<Other> {
    ListPage<Other>(items: transform(items), next: next)
  }
}
