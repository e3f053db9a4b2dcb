import Accounts
import Postgres
import Store

/// Takes an identity off its user, who must have another way to sign in.
public struct UnlinkUserIdentity: Sendable {
  public struct Request: Sendable {
    /// Also a former id: the survivor's identity is taken off then.
    public let user: UserID
    public let identity: IdentityID
    public let reason: ChangeReason?
    /// Whether the caller may use a namespace.
    public let mayUse: @Sendable (Namespace) -> Bool
    public let call: ChangeCall<Void>

    public init(
      user: UserID, identity: IdentityID, reason: ChangeReason?, call: ChangeCall<Void>,
      mayUse: @escaping @Sendable (Namespace) -> Bool
    ) {
      self.user = user
      self.identity = identity
      self.reason = reason
      self.mayUse = mayUse
      self.call = call
    }
  }

  private struct Locked {
    let users: [StoredUser]
    let identity: UnlinkIdentity.Found?
  }

  private let writes: Pool
  private let circumstances: Circumstances

  public init(writes: Pool, circumstances: Circumstances) {
    self.writes = writes
    self.circumstances = circumstances
  }

  /// The identity is nobody's then, vouches for none of the user's addresses, and is not attached to the user by itself again.
  ///
  /// - Throws: `not_found` where it is not the user's, `user_erased`, `last_sign_in_method`, `request_key_reused`, or
  ///   `in_progress`.
  public func unlink(_ request: Request) async throws(OperationError) -> Answer<Void> {
    let lock = ChangeLock<Locked> { pipeline, gate in
      let users = LockUser.add(LockUser.Question(user: request.user, gate: gate), to: &pipeline)
      let identity = pipeline.add(
        UnlinkIdentity.find, UnlinkIdentity.Question(user: request.user, identity: request.identity))
      return { results throws(PostgresError) in
        Locked(users: try users(results), identity: try results.first(of: identity))
      }
    }
    let call = request.call
    return try await KeyedChange(call: call, pool: writes, circumstances: circumstances, lock: lock) {
      locked, moment throws(OperationError) in
      guard let user = try locked.users.user(of: request.user) else { return .lookAgain }
      guard let found = locked.identity, found.user == user.user, request.mayUse(found.namespace) else {
        throw .refused(.notFound)
      }
      try OperationError.translating { () throws(Refusal) in try found.left.checkUsable() }
      let record = UnlinkIdentity.Record(
        identity: found.identity, key: found.key, user: user.user, at: moment.at, caller: call.caller)
      var pipeline = Pipeline()
      pipeline.add(UnlinkIdentity.statement, record)
      pipeline.add(BeginEpoch.statement, user.user)
      let written = moment.tell(
        .identityUnlinked(user.user, identity: found.identity, namespace: found.namespace), by: call.caller,
        circumstances, in: &pipeline)
      pipeline.add(UnlinkIdentity.stopVouching, record)
      pipeline.add(
        AppendAudit.statement,
        AppendAudit.Record(
          caller: call.caller, peerUID: call.peerUID, action: "identity.unlink", user: user.user,
          reason: request.reason, identity: found.identity))
      return .changed((), pipeline, .event(written))
    }.run()
  }
}
