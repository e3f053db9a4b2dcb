/// What is wrong with the answer to a challenge. Whose something is it never says.
public enum WrongProof: Hashable, Sendable {
  /// It names the very identity that the challenge is about.
  case challengedIdentity
  /// It names an identity that is nobody's.
  case identityOfNobody
  /// It names an identity of somebody who is no candidate.
  case identityOfOther
  /// The user who is said to be signed in is no candidate.
  case otherUser
}
