/// Names a credential; one that is deleted and added again is another.
public struct CredentialID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
