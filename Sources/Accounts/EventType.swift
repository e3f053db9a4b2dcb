/// What kind of thing happened; the raw value is the event's `type` on the wire.
public enum EventType: String, Hashable, Sendable, CaseIterable {
  case userRegistered = "user.registered"
  case userUpdated = "user.updated"
  case userDisabled = "user.disabled"
  case userEnabled = "user.enabled"
  case userMerged = "user.merged"
  case userUnmerged = "user.unmerged"
  case userErased = "user.erased"
  case identityLinked = "identity.linked"
  case identityUnlinked = "identity.unlinked"
  case identityEmailChanged = "identity.email_changed"
  case emailVerified = "email.verified"
  case emailUnverified = "email.unverified"
  case emailClaimDropped = "email.claim_dropped"
  case registrationHeld = "registration.held"
  case registrationCompleted = "registration.completed"
  case registrationExpired = "registration.expired"
}
