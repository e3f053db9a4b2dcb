import Accounts
import Postgres
import Store

/// What may be told of a user beyond id and status.
public enum UserPart: String, Hashable, Sendable, CaseIterable {
  case profile
  case emails
  case identities
}

/// The parts of a user that were asked for; nil for the others. An object, because most answers have none.
public final class UserDetails: Sendable {
  /// More identities or addresses than any person has; who has more is listed page by page.
  public static let itemsMax: Int32 = 1000

  public let profile: Profile?
  public let emails: [EmailRecord]?
  public let identities: [IdentityRecord]?

  init(profile: Profile?, emails: [EmailRecord]?, identities: [IdentityRecord]?) {
    self.profile = profile
    self.emails = emails
    self.identities = identities
  }

  /// The statements that load the parts of one user.
  struct Plan {
    private var profile: Pipeline.Slot<StoredUser>?
    private var emails: Pipeline.Slot<EmailRecord>?
    private var identities: Pipeline.Slot<IdentityRecord>?

    init(_ parts: Set<UserPart>, of user: UserID, in pipeline: inout Pipeline) {
      if parts.contains(.profile) { profile = pipeline.add(GetUser.statement, user) }
      if parts.contains(.emails) {
        emails = pipeline.add(ListEmails.statement, ListEmails.Page(user: user, limit: itemsMax))
      }
      if parts.contains(.identities) {
        identities = pipeline.add(ListIdentities.statement, ListIdentities.Page(user: user, limit: itemsMax))
      }
    }

    func details(from results: PipelineResults) throws(PostgresError) -> UserDetails {
      var found: (profile: Profile?, emails: [EmailRecord]?, identities: [IdentityRecord]?)
      if let profile { found.profile = try results.first(of: profile)?.profile }
      if let emails { found.emails = try results.rows(of: emails) }
      if let identities { found.identities = try results.rows(of: identities) }
      return UserDetails(profile: found.profile, emails: found.emails, identities: found.identities)
    }
  }

  /// Loads parts of a user; nil when none is asked for.
  static func load(
    _ parts: Set<UserPart>, of user: UserID, from pool: Pool
  ) async throws(PostgresError) -> UserDetails? {
    guard !parts.isEmpty else { return nil }
    var pipeline = Pipeline.ofOneMoment
    let plan = Plan(parts, of: user, in: &pipeline)
    return try plan.details(from: await pool.run(pipeline))
  }

  /// Loads parts of several users, in their order; nil when none is asked for.
  static func load(
    _ parts: Set<UserPart>, of users: [StoredUser], from pool: Pool
  ) async throws(PostgresError) -> [UserDetails]? {
    guard !parts.isEmpty else { return nil }
    let question = PartsOfUsers(users: users.map(\.user), limit: itemsMax)
    var pipeline = Pipeline.ofOneMoment
    let emailSlot = parts.contains(.emails) ? pipeline.add(ListEmails.ofSeveral, question) : nil
    let identitySlot = parts.contains(.identities) ? pipeline.add(ListIdentities.ofSeveral, question) : nil
    var emails = users.map { _ in [EmailRecord]() }
    var identities = users.map { _ in [IdentityRecord]() }
    if emailSlot != nil || identitySlot != nil {
      let results = try await pool.run(pipeline)
      if let emailSlot { for row in try results.rows(of: emailSlot) { emails[row.position].append(row.email) } }
      if let identitySlot {
        for row in try results.rows(of: identitySlot) { identities[row.position].append(row.identity) }
      }
    }
    return users.indices.map { index in
      UserDetails(
        profile: parts.contains(.profile) ? users[index].profile : nil,
        emails: parts.contains(.emails) ? emails[index] : nil,
        identities: parts.contains(.identities) ? identities[index] : nil)
    }
  }
}
