/// Names one person as the apps know them; never used for another one again.
public struct UserID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}

extension UserID {
  /// When the user was made, to the millisecond: the time in the id.
  public var createdAt: Timestamp { unique.time }
}
