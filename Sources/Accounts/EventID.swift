/// Names one thing that happened, as it is told to consumers.
public struct EventID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
