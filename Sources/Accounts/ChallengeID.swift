/// Names a one-time proof that a caller may go on with one identity.
public struct ChallengeID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
