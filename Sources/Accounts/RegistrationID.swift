/// Names the sealed details of a person who is not a user yet.
public struct RegistrationID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
