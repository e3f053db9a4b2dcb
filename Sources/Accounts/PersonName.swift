/// A person's name as a provider tells it; every part may be unknown.
public struct PersonName: Hashable, Sendable {
  public var given: ExactText?
  public var family: ExactText?
  public var full: ExactText?

  public init(given: ExactText? = nil, family: ExactText? = nil, full: ExactText? = nil) {
    self.given = given
    self.family = family
    self.full = full
  }

  public var isEmpty: Bool { self == PersonName() }

  /// How much of it is known.
  var partCount: Int { [given, family, full].count { $0 != nil } }

  /// The name to show: the full one, otherwise what is known of given and family name, in this order.
  public var displayed: ExactText? {
    if let full { return full }
    let parts = [given, family].compactMap { $0?.string }
    return parts.isEmpty ? nil : ExactText(parts.joined(separator: " "))
  }
}
