/// What a sign-in does with a person whom nobody knows.
public enum RegisterChoice: String, WireWord {
  /// Makes the user.
  case auto
  /// Seals the details until the app completes the registration.
  case hold
  /// Answers that nobody was found.
  case never
}
