import Accounts

/// Which part of a list is wanted.
public struct PageRequest<Key: ListKey>: Sendable {
  let after: Key?
  let limit: Int

  /// The text is none that a page ended with.
  public struct InvalidPlace: Error {}

  /// - Parameters:
  ///   - after: the ``ListPage/next`` of the page before; nil for the first page.
  ///   - limit: items at most, 1-1000; what is beyond counts as the nearer end.
  public init(after: ExactText? = nil, limit: Int) throws(InvalidPlace) {
    if let after {
      guard let key = Key(place: after) else { throw InvalidPlace() }
      self.after = key
    } else {
      self.after = nil
    }
    self.limit = min(max(limit, 1), ListLimits.itemsMax)
  }

  /// One more than the page holds, which shows whether there is another page.
  var probeLimit: Int32 { Int32(limit) + 1 }
}

enum ListLimits {
  /// So many items are still read quickly and fit into one answer.
  static let itemsMax = 1000
}

/// What a list is ordered by; opaque to callers, who hand it back as they got it.
public protocol ListKey: Sendable {
  init?(place: ExactText)
  var place: ExactText { get }
}

extension TypedID {
  public init?(place: ExactText) { self.init(place.string) }
  public var place: ExactText { ExactText(description) }
}

extension UserID: ListKey {}
extension IdentityID: ListKey {}

extension EmailAddress: ListKey {
  /// Only a canonical address is a place.
  public init?(place: ExactText) {
    guard let address = try? EmailAddress(place.string), address.canonical == place else { return nil }
    self = address
  }

  public var place: ExactText { canonical }
}
