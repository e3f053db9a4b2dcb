/// What a credential can do without.
public enum CredentialMember: String, WireWord {
  case label
  case userID = "user_id"
  case expiresAt = "expires_at"
  case attributes
}
