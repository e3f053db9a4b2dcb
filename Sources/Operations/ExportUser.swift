import Accounts
import Postgres
import Store
import Vault

/// Everything that is held about a person, as it is at one moment.
public struct ExportUser: Sendable {
  /// Of each kind. More than anybody has whose export fits into an answer.
  public static let itemsMax: Int32 = 10_000

  /// A person, and what is kept of how they came to be so.
  public struct Export: Sendable {
    public let user: UserRecord
    public let formerIDs: [UserID]
    public let disabledReason: ExactText?
    /// JSON arrays.
    public let unlinked: ExactText
    public let removedEmails: ExactText
    public let credentials: ExactText
    public let registrations: ExactText
    public let held: [HeldRegistration]
    public let history: History
  }

  /// What tells of changes alone.
  public struct History: Sendable {
    public let updatedAt: Timestamp
    /// JSON arrays.
    public let emailTokens: ExactText
    public let events: ExactText
    public let formerUsers: ExactText
    public let merges: ExactText
    public let audit: ExactText
    public let credentials: ExactText
  }

  private let reads: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(reads: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.reads = reads
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// - Parameter id: also a former one.
  /// - Returns: nil if there is more of one kind than ``itemsMax``.
  /// - Throws: `not_found`, or `user_erased`.
  public func export(_ id: UserID) async throws(OperationError) -> Export? {
    let reading = try await UserReading.read(id, from: reads) { user, pipeline in Plan(of: user, in: &pipeline) }
    let now = circumstances.now()
    let found = try await OperationError.translating { () throws(PostgresError) in
      try Found(reading.plan, reading.results)
    }
    guard found.isComplete else { return nil }
    var held: [HeldRegistration] = []
    for stored in found.held where !stored.isExpired(at: now) {
      if let opened = try stored.held(by: sealer) { held.append(opened) }
    }
    let details = UserDetails(profile: reading.user.profile, emails: found.emails, identities: found.identities)
    return Export(
      user: UserRecord(user: reading.user.user, status: reading.user.status, details: details),
      formerIDs: found.formerIDs, disabledReason: found.disabledReason, unlinked: found.unlinked.json,
      removedEmails: found.removedEmails.json,
      credentials: found.credentials.json, registrations: found.registrations.json, held: held,
      history: History(
        updatedAt: found.updatedAt, emailTokens: found.emailTokens.json, events: found.events.json,
        formerUsers: found.formerUsers.json, merges: found.merges.json, audit: found.audit.json,
        credentials: found.credentialHistory.json))
  }

  /// The statements that load all of it.
  private struct Plan {
    let emails: Pipeline.Slot<EmailRecord>
    let identities: Pipeline.Slot<IdentityRecord>
    let formerIDs: Pipeline.Slot<UserID>
    let disabledReason: Pipeline.Slot<ExactText>
    let updatedAt: Pipeline.Slot<Timestamp>
    let held: Pipeline.Slot<StoredRegistration>
    let unlinked: Pipeline.Slot<ExportRows.Part>
    let removedEmails: Pipeline.Slot<ExportRows.Part>
    let emailTokens: Pipeline.Slot<ExportRows.Part>
    let credentials: Pipeline.Slot<ExportRows.Part>
    let registrations: Pipeline.Slot<ExportRows.Part>
    let events: Pipeline.Slot<ExportRows.Part>
    let formerUsers: Pipeline.Slot<ExportRows.Part>
    let merges: Pipeline.Slot<ExportRows.Part>
    let audit: Pipeline.Slot<ExportRows.Part>
    let credentialHistory: Pipeline.Slot<ExportRows.Part>

    init(of user: UserID, in pipeline: inout Pipeline) {
      let limit = itemsMax + 1
      let question = ExportRows.Question(user: user, limit: limit)
      emails = pipeline.add(ListEmails.statement, ListEmails.Page(user: user, limit: limit))
      identities = pipeline.add(ListIdentities.statement, ListIdentities.Page(user: user, limit: limit))
      formerIDs = pipeline.add(ExportRows.formerIDs, question)
      disabledReason = pipeline.add(ExportRows.disabledReason, question)
      updatedAt = pipeline.add(ExportRows.updatedAt, question)
      held = pipeline.add(ExportRows.heldRegistrations, question)
      unlinked = pipeline.add(ExportRows.unlinked, question)
      removedEmails = pipeline.add(ExportRows.removedEmails, question)
      emailTokens = pipeline.add(ExportRows.emailTokens, question)
      credentials = pipeline.add(ExportRows.credentials, question)
      registrations = pipeline.add(ExportRows.registrations, question)
      events = pipeline.add(ExportRows.events, question)
      formerUsers = pipeline.add(ExportRows.formerUsers, question)
      merges = pipeline.add(ExportRows.merges, question)
      audit = pipeline.add(ExportRows.audit, question)
      credentialHistory = pipeline.add(ExportRows.credentialHistory, question)
    }
  }

  /// What they loaded.
  private struct Found {
    let emails: [EmailRecord]
    let identities: [IdentityRecord]
    let formerIDs: [UserID]
    let disabledReason: ExactText?
    let updatedAt: Timestamp
    let held: [StoredRegistration]
    let unlinked, removedEmails, emailTokens, credentials, registrations: ExportRows.Part
    let events, formerUsers, merges, audit, credentialHistory: ExportRows.Part

    init(_ plan: Plan, _ results: PipelineResults) throws(PostgresError) {
      func part(_ slot: Pipeline.Slot<ExportRows.Part>) throws(PostgresError) -> ExportRows.Part {
        guard let part = try results.first(of: slot) else { throw .unexpectedAnswer("a part of an export is missing") }
        return part
      }
      emails = try results.rows(of: plan.emails)
      identities = try results.rows(of: plan.identities)
      formerIDs = try results.rows(of: plan.formerIDs)
      disabledReason = try results.first(of: plan.disabledReason)
      guard let updatedAt = try results.first(of: plan.updatedAt) else {
        throw .unexpectedAnswer("a user is gone")
      }
      self.updatedAt = updatedAt
      held = try results.rows(of: plan.held)
      unlinked = try part(plan.unlinked)
      removedEmails = try part(plan.removedEmails)
      emailTokens = try part(plan.emailTokens)
      credentials = try part(plan.credentials)
      registrations = try part(plan.registrations)
      events = try part(plan.events)
      formerUsers = try part(plan.formerUsers)
      merges = try part(plan.merges)
      audit = try part(plan.audit)
      credentialHistory = try part(plan.credentialHistory)
    }

    /// Whether there is no more of anything than may be told.
    var isComplete: Bool {
      let parts = [
        unlinked, removedEmails, emailTokens, credentials, registrations, events, formerUsers, merges, audit,
        credentialHistory,
      ]
      let counts = parts.map(\.count) + [emails.count, identities.count, formerIDs.count, held.count].map { Int64($0) }
      return counts.allSatisfy { $0 <= Int64(itemsMax) }
    }
  }
}
