import Accounts
import Postgres
import Store

/// What a decision about one locked user comes to.
enum UserChange<Result: Sendable> {
  /// Everything is so already: nothing is written, told or kept.
  case none(Result)
  /// The statements that change it, and what is told of it.
  case some(Result, Pipeline, Event, AppendAudit.Record)
}

extension KeyedChange where Locked == [StoredUser] {
  /// A change of one user, with its event and its row in the audit.
  ///
  /// - Parameters:
  ///   - user: also a former id: the change is the survivor's then.
  ///   - concern: of whom the answer tells.
  ///   - decide: decides about the locked user, who is neither merged nor erased.
  init(
    call: ChangeCall<Result>, user: UserID, pool: Pool, circumstances: Circumstances,
    concern: @escaping (Result) -> KeptAnswers.Concern = { _ in .nobody },
    decide: @escaping (StoredUser, Timestamp) throws(Refusal) -> UserChange<Result>
  ) {
    let lock = ChangeLock<[StoredUser]> { pipeline, gate in
      LockUser.add(LockUser.Question(user: user, gate: gate), to: &pipeline)
    }
    self.init(call: call, pool: pool, circumstances: circumstances, concern: concern, lock: lock) {
      users, moment throws(OperationError) in
      guard let locked = try users.user(of: user) else { return .lookAgain }
      switch try OperationError.translating({ () throws(Refusal) in try decide(locked, moment.at) }) {
      case .none(let result): return .unchanged(result)
      case .some(let result, let writes, let event, let audit):
        var pipeline = writes
        let written = moment.tell(event, by: call.caller, circumstances, in: &pipeline)
        pipeline.add(AppendAudit.statement, audit)
        return .changed(result, pipeline, .event(written))
      }
    }
  }
}

extension [StoredUser] {
  /// The user whom an id means: the survivor, if it is a former one. Nil if they were merged just now, so that their survivor
  /// is not locked.
  ///
  /// - Throws: `not_found`, or `user_erased`.
  func user(of id: UserID) throws(OperationError) -> StoredUser? {
    guard let asked = first(where: { $0.user == id }) else { throw .refused(.notFound) }
    guard let user = asked.survivor == nil ? asked : first(where: { $0.user == asked.survivor }) else {
      return nil
    }
    guard user.status != .erased else { throw .refused(.userErased) }
    return user.status == .merged ? nil : user
  }
}
