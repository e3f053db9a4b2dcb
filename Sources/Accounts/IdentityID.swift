/// Names the tie between one provider's subject and one user.
public struct IdentityID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
