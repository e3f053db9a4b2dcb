import Accounts
import Postgres
import Store

/// Changes a user's profile, also a disabled user's.
public struct UpdateUser: Sendable {
  public struct Request: Sendable {
    /// Also a former id: the survivor is changed then.
    public let user: UserID
    /// Parts that it has replace those there are; the others stay. Its limits are checked by whoever read it.
    public let profile: Profile
    /// Parts to remove.
    public let clear: Set<ProfilePart>
    public let call: ChangeCall<UserRecord>

    public init(user: UserID, profile: Profile, clear: Set<ProfilePart>, call: ChangeCall<UserRecord>) {
      self.user = user
      self.profile = profile
      self.clear = clear
      self.call = call
    }
  }

  private static let action: StaticString = "user.update"

  private let writes: Pool
  private let circumstances: Circumstances

  public init(writes: Pool, circumstances: Circumstances) {
    self.writes = writes
    self.circumstances = circumstances
  }

  /// The user with the profile that they have now. What changes nothing leaves neither event nor audit.
  ///
  /// - Throws: `not_found`, `user_erased`, `request_key_reused`, or `in_progress`.
  public func update(_ request: Request) async throws(OperationError) -> Answer<UserRecord> {
    try await KeyedChange(
      call: request.call, user: request.user, pool: writes, circumstances: circumstances,
      concern: { KeptAnswers.Concern(user: $0.user) }
    ) { stored, at in
      let profile = stored.profile.replacing(with: request.profile, clearing: request.clear)
      let result = UserRecord(
        user: stored.user, status: stored.status,
        details: UserDetails(profile: profile, emails: nil, identities: nil))
      let changed = profile.differences(from: stored.profile)
      guard !changed.isEmpty else { return .none(result) }
      var pipeline = Pipeline()
      pipeline.add(
        UpdateProfiles.statement, [UpdateProfiles.Record(user: stored.user, profile: profile, at: at)])
      let audit = AppendAudit.Record(
        caller: request.call.caller, peerUID: request.call.peerUID, action: Self.action, user: stored.user,
        reason: nil, changedParts: changed)
      return .some(result, pipeline, .userUpdated(stored.user), audit)
    }.run()
  }
}
