/// An id that says what it is the id of, so that a user's id cannot stand where an identity's is meant.
///
/// The text form is that of ``UniqueID``: 36 characters, lower case.
public protocol TypedID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  var unique: UniqueID { get }

  init(_ unique: UniqueID)
}

extension TypedID {
  /// Reads the 36-character text form, with hexadecimal digits of either case.
  public init?(_ text: String) {
    guard let unique = UniqueID(text) else { return nil }
    self.init(unique)
  }

  /// A new id that carries its time; see ``UniqueID/init(version7At:random:)``.
  public init(version7At time: Timestamp, random: (UInt64, UInt64)) {
    self.init(UniqueID(version7At: time, random: random))
  }

  public var description: String { unique.description }

  public static func < (left: Self, right: Self) -> Bool {
    left.unique < right.unique
  }
}
