import Accounts

/// Time and chance, passed in so that tests choose them.
public struct Circumstances: Sendable {
  public let now: @Sendable () -> Timestamp
  public let random: @Sendable () -> (UInt64, UInt64)

  public init(now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> (UInt64, UInt64)) {
    self.now = now
    self.random = random
  }

  /// A new id that carries the time.
  func newID<ID: TypedID>(_: ID.Type = ID.self, at time: Timestamp) -> ID {
    ID(version7At: time, random: random())
  }

  /// The same for what has no type of id.
  func newUniqueID(at time: Timestamp) -> UniqueID {
    UniqueID(version7At: time, random: random())
  }
}
