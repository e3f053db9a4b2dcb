import Accounts

/// Everything that is held about a person.
public struct UserExportShape: Shape, Equatable {
  public static let title = "UserExport"

  public var user = UserShape()
  public var formerIDs: [UserID] = []
  public var disabledReason: ExactText?
  public var unlinked = RawJSON("[]")
  public var removedEmails = RawJSON("[]")
  public var credentials = RawJSON("[]")
  public var registrations = RawJSON("[]")
  public var heldRegistrations: [RegistrationShape] = []
  public var history = UserHistoryShape()

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("user", &user, "The user with profile, emails and identities.")
    try visitor.member("former_ids", &formerIDs, .items(0...10_000), "Who was merged into them.")
    try visitor.member("disabled_reason", &disabledReason, .reason, "Why they are disabled, if they are.")
    try visitor.member(
      "unlinked", &unlinked, .held, "An array of identities that were taken off: provider, tenant, subject, at.")
    try visitor.member(
      "removed_emails", &removedEmails, .held, "An array of addresses that were removed: canonical, at.")
    try visitor.member(
      "credentials", &credentials, .held,
      """
      An array of their credentials, whichever the access group: id, access_group, account, service, label, created_at, \
      expires_at, attributes; never the secret.
      """)
    try visitor.member(
      "registrations", &registrations, .held,
      """
      An array of registrations that became this user: id, provider, tenant, subject, attempts, last_reason, held_at, \
      completed_at.
      """)
    try visitor.member(
      "held_registrations", &heldRegistrations, .items(0...10_000), "What is still held of their identities.")
    try visitor.member("history", &history, "What tells of changes alone.")
  }
}

/// What is kept of how a user came to be as they are.
public struct UserHistoryShape: Shape, Equatable {
  public static let title = "UserHistory"

  public var updatedAt = Timestamp.unset
  public var emailTokens = RawJSON("[]")
  public var events = RawJSON("[]")
  public var formerUsers = RawJSON("[]")
  public var merges = RawJSON("[]")
  public var audit = RawJSON("[]")
  public var credentials = RawJSON("[]")

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("updated_at", &updatedAt, "When the user was changed last.")
    try visitor.member(
      "email_tokens", &emailTokens, .held,
      "An array of addresses for which a token is out: canonical, expires_at; never the token.")
    try visitor.member("events", &events, .held, "An array of the events that are kept, the oldest first.")
    try visitor.member(
      "former_users", &formerUsers, .held,
      "An array of who was merged into them, as they were: id, profile, disabled_reason.")
    try visitor.member(
      "merges", &merges, .held,
      """
      An array of their merges, undone ones too, the oldest first; moved_emails are the addresses that came with one that \
      stands.
      """)
    try visitor.member("audit", &audit, .held, "An array of what the audit says of them, the oldest first.")
    try visitor.member(
      "credentials", &credentials, .held, "An array of the changes of their credentials, the oldest first.")
  }
}

extension RawJSONLimits {
  /// JSON as the database holds it.
  fileprivate static var held: RawJSONLimits { .array(bytesMax: .max) }
}
