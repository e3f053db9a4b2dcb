/// Names one merge of two users, also after it was undone.
public struct MergeID: TypedID {
  public let unique: UniqueID

  public init(_ unique: UniqueID) {
    self.unique = unique
  }
}
