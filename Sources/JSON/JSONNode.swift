/// One value in the flat list that a parse leaves behind: a container comes before what it contains, and the key of a
/// member before its value.
struct JSONNode {
  /// Where the value begins; for a string the byte after the opening quote.
  var start: UInt32
  /// Where the value ends; for a string the closing quote.
  var end: UInt32
  /// How many nodes the value takes, itself included. While a container is open: the index of the one around it.
  var span: UInt32
  var kind: JSONKind
  /// For a string: it holds escapes. For a bool: it is true.
  var mark: Bool
}
