/// What is wrong with a parameter, for programs; the message says it for people.
public enum ParameterProblem: String, Sendable, CaseIterable {
  /// It is required and absent.
  case missing
  /// The method has no such parameter.
  case unknown
  /// It is of another kind of JSON value, `null` included.
  case wrongType = "wrong_type"
  /// It is the empty string; absent means left out.
  case empty
  /// It is too short or too long, or holds too few or too many.
  case length
  /// It is outside the range of numbers.
  case range
  /// It is not written as it must be.
  case format
  /// It is none of the words allowed.
  case choice
  /// It does not go together with the others.
  case combination
}
