import Accounts
import Postgres
import Store
import Synchronization

/// Forgets a person: what is known of them goes, their identities are nobody's, and the ids stay as marks that say so.
///
/// The users' own locks are enough: whoever writes anything of a user, or of an identity or address that is theirs, holds
/// them. Changes of credentials that name no user are waited for by their rows.
public struct EraseUser: Sendable {
  private static let action: StaticString = "user.erase"

  public struct Request: Sendable {
    /// Also a former id: the survivor is erased then, with all ids.
    public let user: UserID
    public let reason: ChangeReason
    public let call: ChangeCall<ErasedUser>

    public init(user: UserID, reason: ChangeReason, call: ChangeCall<ErasedUser>) {
      self.user = user
      self.reason = reason
      self.call = call
    }
  }

  private let writes: Pool
  private let details: DetailsSpool
  private let circumstances: Circumstances

  public init(writes: Pool, details: DetailsSpool, circumstances: Circumstances) {
    self.writes = writes
    self.details = details
    self.circumstances = circumstances
  }

  /// The user as they are from now on. One who is erased already leaves neither event nor audit.
  ///
  /// - Throws: `not_found`, `request_key_reused`, or `in_progress`.
  public func erase(_ request: Request) async throws(OperationError) -> Answer<ErasedUser> {
    let last = LastAttempt()
    let answer = try await KeyedChange(
      call: request.call, pool: writes, circumstances: circumstances,
      lock: ChangeLock { pipeline, gate in
        LockUserFamily.add(LockUser.Question(user: request.user, gate: gate), to: &pipeline)
      }
    ) { family, moment throws(OperationError) in
      guard !family.users.isEmpty else { throw .refused(.notFound) }
      guard family.isComplete, let user = family.users.first(where: { $0.survivor == nil }) else { return .lookAgain }
      let formerIDs = family.users.map(\.user).filter { $0 != user.user }.sorted()
      let erased = ErasedUser(user: user.user, formerIDs: formerIDs)
      guard user.status != .erased else { return .unchanged(erased) }
      return .further { transaction throws(PostgresError) in
        let identities = try await erase(erased, at: moment.at, in: transaction)
        last.released.withLock { $0 = (Set(identities), moment.at) }
        return changed(by: request, erased, moment)
      }
    }.run()
    if let (identities, at) = last.released.withLock({ $0 }), !identities.isEmpty {
      await details.forget(identities, saidUntil: at, on: writes.loop)
    }
    return answer
  }

  /// - Returns: the identities that were released.
  private func erase(
    _ erased: ErasedUser, at: Timestamp, in transaction: Transaction
  ) async throws(PostgresError) -> [IdentityKey] {
    let users = [erased.user] + erased.formerIDs
    var pipeline = Pipeline()
    let identitiesSlot = pipeline.add(EraseRows.identities, users)
    let unlinkedSlot = pipeline.add(EraseRows.unlinked, users)
    let placesSlot = EraseRows.add(EraseRows.Input(users: users, at: at), to: &pipeline)
    let results = try await transaction.run(pipeline)
    let identities = try results.rows(of: identitiesSlot)
    let about =
      identities.map { AdvisoryLock.identity($0.key) }
      + (try results.rows(of: placesSlot)).map { AdvisoryLock.credential($0) }
    let aboutUnlinked = try results.rows(of: unlinkedSlot).map { AdvisoryLock.identity($0.key) }
    var answers = Pipeline()
    answers.add(
      EraseRows.answers, EraseRows.Telling(users: users, about: about, aboutUnlinked: aboutUnlinked))
    answers.add(EraseRows.answersFromWhiles, users)
    _ = try await transaction.run(answers)
    return identities.map(\.identity)
  }

  private func changed(
    by request: Request, _ erased: ErasedUser,
    _ moment: KeyedChange<(users: [StoredUser], isComplete: Bool), ErasedUser>.Moment
  ) -> KeyedChange<(users: [StoredUser], isComplete: Bool), ErasedUser>.Decision {
    var pipeline = Pipeline()
    let written = moment.tell(
      .userErased(erased.user, formerIDs: erased.formerIDs), by: request.call.caller, circumstances, in: &pipeline)
    pipeline.add(
      AppendAudit.statement,
      AppendAudit.Record(
        caller: request.call.caller, peerUID: request.call.peerUID, action: Self.action, user: erased.user,
        reason: request.reason, formerIDs: erased.formerIDs))
    return .changed(erased, pipeline, .event(written))
  }
}

/// A user of whom nothing is known any more.
public struct ErasedUser: Sendable {
  public let user: UserID
  /// Who had been merged into them, and is erased as well.
  public let formerIDs: [UserID]
}

/// What the last attempt released, and when; an object, because that is over when it is needed.
private final class LastAttempt: Sendable {
  let released = Mutex<(identities: Set<IdentityKey>, at: Timestamp)?>(nil)
}
