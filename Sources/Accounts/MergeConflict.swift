/// What two users who are to be merged have both, or what does not come along: nothing of it stands in the way, but somebody
/// should know.
public enum MergeConflict: Hashable, Sendable {
  /// Both have it, and otherwise; the survivor's stays.
  case profile(ProfilePart)
  /// This one of the two is disabled, so the survivor will be.
  case disabled(UserID)
  /// Both have the canonical address; it is kept once, with all that vouches for it.
  case address(ExactText)
  /// The credential does not open, so it cannot be sealed for the survivor and stays where it is.
  case credential(CredentialPlace)
}
