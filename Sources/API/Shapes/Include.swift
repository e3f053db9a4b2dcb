/// What a user's answer holds beyond id, status and time.
public enum Include: String, WireWord {
  case profile
  case emails
  case identities
}
