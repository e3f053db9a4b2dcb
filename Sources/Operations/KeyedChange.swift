import Accounts
import EventLoop
import Postgres
import Store

/// One change of a user, in one transaction with its event, its row in the audit and its answer under the request key.
///
/// A commit whose outcome is unknown is never told as a failure: the change runs again, waits by the user's lock until the
/// uncertain attempt is over, and finds that attempt's event if it was committed. Then its result is the answer; otherwise
/// the change is decided anew.
struct KeyedChange<Result: Sendable> {
  /// How often a change that lost a race tries again before it is told to come back later.
  private static var attemptsMax: Int { 5 }
  /// Between two looks at whether an uncertain commit happened.
  private static var pauseMilliseconds: UInt64 { 20 }

  /// What a transaction was to commit.
  private struct Attempt {
    let written: WrittenEvent
    let answer: Answer<Result>
  }

  /// How a transaction ended.
  private enum Ending {
    case answered(Answer<Result>)
    case refused(OperationError)
    case failed(PostgresError)
    case commitUnknown(Attempt)
    /// The user was merged meanwhile, or an uncertain attempt is not over yet: look again.
    case overtaken
  }

  /// What follows from what was found.
  private enum Step {
    case end(Ending)
    case write(Result, Pipeline, Event, AppendAudit.Record, at: Timestamp)
  }

  let call: ChangeCall<Result>
  /// Also a former id: the change is the survivor's then.
  let user: UserID
  let pool: Pool
  let circumstances: Circumstances
  /// Decides about the locked user, who is neither merged nor erased.
  let decide: (StoredUser, Timestamp) throws(Refusal) -> UserChange<Result>

  /// - Throws: `not_found`, `user_erased`, `request_key_reused`, `in_progress`, or what `decide` refuses with.
  func run() async throws(OperationError) -> Answer<Result> {
    var uncertain: Attempt?
    var attemptsLeft = Self.attemptsMax
    while true {
      let ending = await transact(after: uncertain)
      switch ending {
      case .answered(let answer): return answer
      case .refused(let error): throw error
      case .commitUnknown(let attempt): uncertain = attempt
      case .failed(let error):
        attemptsLeft -= uncertain == nil ? 1 : 0
        let isWorthwhile = uncertain == nil ? error.isLostRace && attemptsLeft > 0 : error.passes
        guard isWorthwhile else { throw OperationError(error) }
      case .overtaken:
        attemptsLeft -= uncertain == nil ? 1 : 0
        guard attemptsLeft > 0 else { throw .databaseUnavailable(.unavailable("the user is merged again and again")) }
      }
      if uncertain != nil { await pool.loop.pause(milliseconds: Self.pauseMilliseconds) }
    }
  }

  private func transact(after uncertain: Attempt?) async -> Ending {
    do throws(PostgresError) {
      let transaction = try await pool.begin()
      do throws(PostgresError) {
        return try await transact(after: uncertain, in: transaction)
      } catch {
        await transaction.rollback()
        throw error
      }
    } catch {
      return .failed(error)
    }
  }

  private func transact(
    after uncertain: Attempt?, in transaction: Transaction
  ) async throws(PostgresError) -> Ending {
    let situation = try await ChangeSituation.load(
      user, key: call.requestKey, uncertain: uncertain?.written, in: transaction)
    switch step(in: situation, after: uncertain) {
    case .end(let ending):
      await transaction.rollback()
      return ending
    case .write(let result, let writes, let event, let audit, let at):
      let id = circumstances.newID(EventID.self, at: at)
      let attempt = Attempt(
        written: WrittenEvent(transaction: situation.transaction, event: id), answer: answer(result))
      var pipeline = writes
      pipeline.add(InsertEvents.statement, [InsertEvents.Record(id: id, event: event, at: at, caller: call.caller)])
      if let key = call.requestKey, case .kept(let bytes) = attempt.answer {
        pipeline.add(KeptAnswers.insert, [KeptAnswers.Record(key: key, answer: bytes, at: at)])
      }
      pipeline.add(AppendAudit.statement, audit)
      return try await commit(pipeline, attempt, in: transaction)
    }
  }

  /// What is to be done about what was found under the locks.
  private func step(in situation: ChangeSituation, after uncertain: Attempt?) -> Step {
    if let uncertain, situation.isWritten { return .end(.answered(uncertain.answer)) }
    do throws(OperationError) {
      if let kept = try situation.keptAnswer(to: call.requestKey) { return .end(.answered(.kept(kept))) }
      guard let locked = try situation.lockedUser(of: user) else { return .end(.overtaken) }
      let at = circumstances.now()
      switch try OperationError.translating({ () throws(Refusal) in try decide(locked, at) }) {
      case .none(let result): return .end(.answered(.new(result)))
      case .some(let result, let writes, let event, let audit): return .write(result, writes, event, audit, at: at)
      }
    } catch {
      // The key may still be held by the very attempt that is looked for.
      if uncertain != nil, case .refused(.inProgress) = error { return .end(.overtaken) }
      return .end(.refused(error))
    }
  }

  private func commit(
    _ pipeline: Pipeline, _ attempt: Attempt, in transaction: Transaction
  ) async throws(PostgresError) -> Ending {
    do throws(PostgresError) {
      _ = try await transaction.commit(pipeline)
      return .answered(attempt.answer)
    } catch {
      guard case .commitUnknown = error else { throw error }
      return .commitUnknown(attempt)
    }
  }

  /// With a request key the answer is the text that is kept, so that the first one is the same as every repeat.
  private func answer(_ result: Result) -> Answer<Result> {
    call.requestKey == nil ? .new(result) : .kept(call.encode(result))
  }
}
