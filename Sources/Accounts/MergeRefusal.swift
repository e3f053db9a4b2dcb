/// Why two users are not merged, or a merge is not undone, beyond what a ``Refusal`` says.
public enum MergeRefusal: Hashable, Sendable {
  /// The two are one user.
  case oneUser
  /// Who is to survive is neither of the two.
  case survivorElsewhere
  /// More credentials would have to be sealed anew than one merge takes.
  case tooManyCredentials(max: Int)
  /// A later merge has to be undone first.
  case superseded(by: MergeID)
}
