/// A call that is understood and answered with no; the raw value is the `reason` that programs match on.
///
/// A refusal is a normal answer, not a failure.
public enum Refusal: String, Error, Hashable, Sendable, CaseIterable {
  case notFound = "not_found"
  case userErased = "user_erased"
  case userDisabled = "user_disabled"
  case identityLinkedElsewhere = "identity_linked_elsewhere"
  case emailTaken = "email_taken"
  case lastSignInMethod = "last_sign_in_method"
  case challengeExpired = "challenge_expired"
  case challengeUsed = "challenge_used"
  case challengeMismatch = "challenge_mismatch"
  case proofRejected = "proof_rejected"
  case planStale = "plan_stale"
  case credentialExists = "credential_exists"
  case requestKeyReused = "request_key_reused"
  case inProgress = "in_progress"
}
