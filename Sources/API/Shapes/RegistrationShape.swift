import Accounts

/// Sealed details of a person who is not a user yet.
public struct RegistrationShape: Shape, Equatable {
  public static let title = "Registration"

  public var id = RegistrationID.unset
  public var provider: ExactText = ""
  public var tenant: ExactText = ""
  public var subject: ExactText = ""
  public var details: ClaimsShape?
  public var attempts = 0
  public var lastReason: ExactText?
  public var heldAt = Timestamp.unset
  public var expiresAt = Timestamp.unset

  public init() {}

  public init(
    id: RegistrationID, provider: ExactText, tenant: ExactText, subject: ExactText, details: ClaimsShape?,
    attempts: Int, lastReason: ExactText?, heldAt: Timestamp, expiresAt: Timestamp
  ) {
    self.id = id
    self.provider = provider
    self.tenant = tenant
    self.subject = subject
    self.details = details
    self.attempts = attempts
    self.lastReason = lastReason
    self.heldAt = heldAt
    self.expiresAt = expiresAt
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, "The registration's id.")
    try visitor.member("provider", &provider, .provider, "Who proves the identity.")
    try visitor.member("tenant", &tenant, .tenant, "The team or client id.")
    try visitor.member("subject", &subject, .subject, "The provider's id for the person.")
    try visitor.member(
      "details", &details, "What is known of the person so far; absent in a list where it cannot be opened.")
    try visitor.member("attempts", &attempts, .count, "How often the app's own step failed.")
    try visitor.member("last_reason", &lastReason, .reason, "Why it failed last.")
    try visitor.member("held_at", &heldAt, "Since when it is held.")
    try visitor.member("expires_at", &expiresAt, "Until when it is held.")
  }
}
