import Accounts
import Postgres
import Store

/// Keeps a user from signing in, or lets them again.
public struct SetUserStatus: Sendable {
  /// Where the user is to stand.
  public enum Target: Sendable {
    case active
    case disabled
  }

  public struct Request: Sendable {
    /// Also a former id: the survivor is changed then.
    public let user: UserID
    public let target: Target
    public let reason: ChangeReason
    public let call: ChangeCall<UserRecord>

    public init(user: UserID, target: Target, reason: ChangeReason, call: ChangeCall<UserRecord>) {
      self.user = user
      self.target = target
      self.reason = reason
      self.call = call
    }
  }

  private let writes: Pool
  private let circumstances: Circumstances

  public init(writes: Pool, circumstances: Circumstances) {
    self.writes = writes
    self.circumstances = circumstances
  }

  /// The user as they stand now. One who stands so already leaves neither event nor audit.
  ///
  /// - Throws: `not_found`, `user_erased`, `request_key_reused`, or `in_progress`.
  public func set(_ request: Request) async throws(OperationError) -> Answer<UserRecord> {
    let target = request.target
    return try await KeyedChange(
      call: request.call, user: request.user, pool: writes, circumstances: circumstances
    ) { stored, at in
      let result = UserRecord(user: stored.user, status: target.status, details: nil)
      // Whom a merge disabled is so for a reason of its own from now on, which its undo does not lift.
      guard stored.status != target.status || stored.disabledByMerge != nil else { return .none(result) }
      var pipeline = Pipeline()
      pipeline.add(
        SetStatus.statement,
        SetStatus.Record(user: stored.user, status: target.status, reason: request.reason, at: at))
      let audit = AppendAudit.Record(
        caller: request.call.caller, peerUID: request.call.peerUID, action: target.action, user: stored.user,
        reason: request.reason)
      return .some(result, pipeline, target.event(of: stored.user), audit)
    }.run()
  }
}

extension SetUserStatus.Target {
  fileprivate var status: UserStatus {
    switch self {
    case .active: .active
    case .disabled: .disabled
    }
  }

  /// The method, as the audit names it.
  fileprivate var action: StaticString {
    switch self {
    case .active: "user.enable"
    case .disabled: "user.disable"
    }
  }

  fileprivate func event(of user: UserID) -> Event {
    switch self {
    case .active: .userEnabled(user)
    case .disabled: .userDisabled(user)
    }
  }
}
