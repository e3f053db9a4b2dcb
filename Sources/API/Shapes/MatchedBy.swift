/// By what a user was found.
public enum MatchedBy: String, WireWord {
  case identity
  case email
}
