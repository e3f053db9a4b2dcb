/// What a JSON value is.
public enum JSONKind: UInt8, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object
}
