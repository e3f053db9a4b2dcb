/// Why a text was refused by `JSONParser`.
public enum JSONError: Error, Equatable, Sendable {
  /// The text is not JSON as this reader demands it; `offset` is the byte at which that became certain.
  case malformed(offset: Int)
  /// A name stands twice in the object that ends before the byte `offset`.
  case duplicateName(offset: Int)
  /// The text is well formed, but arrays and objects stand in each other more than `limit` deep.
  case tooDeep(limit: Int)
}
