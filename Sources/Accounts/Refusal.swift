/// A call that is understood and answered with no; the raw value is the `reason` that programs match on.
///
/// A refusal is a normal answer, not a failure.
public enum Refusal: String, Error, Hashable, Sendable, CaseIterable {
  case notFound = "not_found"
  case userErased = "user_erased"
  case userDisabled = "user_disabled"
  case lastSignInMethod = "last_sign_in_method"
  case planStale = "plan_stale"
  case credentialExists = "credential_exists"
  case requestKeyReused = "request_key_reused"
  case inProgress = "in_progress"
}
