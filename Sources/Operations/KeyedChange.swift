import Accounts
import EventLoop
import Postgres
import Store
import Vault

/// One change, in one transaction with what tells of it and its answer under the request key.
///
/// A commit whose outcome is unknown is never told as a failure: the change runs again, waits by its locks until the uncertain
/// attempt is over, and finds that attempt's trace if it was committed. Then its result is the answer; otherwise the change is
/// decided anew.
struct KeyedChange<Locked, Result: Sendable> {
  /// When and where a change is decided.
  struct Moment {
    let at: Timestamp
    /// The number of the transaction.
    let transaction: Int64

    /// Adds events, and gives back what tells whether they were committed.
    func tell(
      _ first: Event, _ more: [Event] = [], by caller: CallerName, _ circumstances: Circumstances,
      in pipeline: inout Pipeline
    ) -> WrittenEvent {
      let records = ([first] + more).map { event in
        InsertEvents.Record(id: circumstances.newID(at: at), event: event, at: at, caller: caller)
      }
      pipeline.add(InsertEvents.statement, records)
      return WrittenEvent(transaction: transaction, event: records[0].id)
    }
  }

  /// What follows from what was found under the locks.
  enum Decision {
    /// What is to be changed was moved meanwhile to where it is not locked.
    case lookAgain
    /// Everything is so already: nothing is written, told or kept.
    case unchanged(Result)
    /// The statements that change it and tell of it, the audit last, for it holds the trail's end locked; and what they leave.
    case changed(Result, Pipeline, ChangeTrace)
    /// More has to be read or written before, in the same transaction and under the same locks.
    case further((Transaction) async throws(PostgresError) -> Decision)
  }

  /// How often a change that lost a race tries again before it is told to come back later.
  private static var attemptsMax: Int { 5 }
  /// Between two looks at whether an uncertain commit happened.
  private static var pauseMilliseconds: UInt64 { 20 }

  /// What a transaction was to commit.
  private struct Attempt {
    let trace: ChangeTrace
    let answer: Answer<Result>
  }

  /// How a transaction ended.
  private enum Ending {
    case answered(Answer<Result>)
    case refused(OperationError)
    case failed(PostgresError)
    case commitUnknown(Attempt)
    /// What is changed was moved meanwhile, or an uncertain attempt is not over yet: look again.
    case overtaken
  }

  /// What is done about what was found.
  private enum Step {
    case end(Ending)
    case write(Attempt, Pipeline)
    case decideFurther((Transaction) async throws(PostgresError) -> Decision, at: Timestamp)
  }

  let call: ChangeCall<Result>
  let pool: Pool
  let circumstances: Circumstances
  /// Seals the kept answer, which tells a secret; nil where it tells none.
  var sealer: SharedSealer?
  /// Of whom and of what the answer tells.
  var concern: (Result) -> KeptAnswers.Concern = { _ in .nobody }
  /// Asked for each attempt anew, before its transaction begins.
  let lock: () async throws(PostgresError) -> ChangeLock<Locked>
  let decide: (Locked, Moment) throws(OperationError) -> Decision

  /// - Throws: `request_key_reused`, `in_progress`, or what `decide` throws.
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
        guard attemptsLeft > 0 else {
          throw .databaseUnavailable(.unavailable("what is to be changed is moved again and again"))
        }
      }
      if uncertain != nil { await pool.loop.pause(milliseconds: Self.pauseMilliseconds) }
    }
  }

  private func transact(after uncertain: Attempt?) async -> Ending {
    do throws(PostgresError) {
      let lock = try await lock()
      let transaction = try await pool.begin()
      do throws(PostgresError) {
        return try await transact(after: uncertain, lock, in: transaction)
      } catch {
        await transaction.rollback()
        throw error
      }
    } catch {
      return .failed(error)
    }
  }

  private func transact(
    after uncertain: Attempt?, _ lock: ChangeLock<Locked>, in transaction: Transaction
  ) async throws(PostgresError) -> Ending {
    let situation = try await ChangeSituation.load(
      lock, key: call.requestKey, uncertain: uncertain?.trace, in: transaction)
    return try await take(step(in: situation, after: uncertain), in: transaction)
  }

  private func take(_ step: Step, in transaction: Transaction) async throws(PostgresError) -> Ending {
    switch step {
    case .end(let ending):
      await transaction.rollback()
      return ending
    case .decideFurther(let decide, let at):
      return try await take(stepOrRefusal(after: decide(transaction), at: at), in: transaction)
    case .write(let attempt, let writes):
      return try await commit(writes, attempt, in: transaction)
    }
  }

  private func step(in situation: ChangeSituation<Locked>, after uncertain: Attempt?) -> Step {
    if let uncertain, situation.isWritten { return .end(.answered(uncertain.answer)) }
    do throws(OperationError) {
      if let kept = try situation.keptAnswer(to: call.requestKey, sealer: sealer?.known()) {
        return .end(.answered(.kept(kept)))
      }
      let moment = Moment(at: circumstances.now(), transaction: situation.transaction)
      return try step(after: try decide(situation.locked, moment), at: moment.at)
    } catch {
      // The key may still be held by the very attempt that is looked for.
      if uncertain != nil, case .refused(.inProgress) = error { return .end(.overtaken) }
      return .end(.refused(error))
    }
  }

  private func stepOrRefusal(after decision: Decision, at: Timestamp) -> Step {
    do throws(OperationError) {
      return try step(after: decision, at: at)
    } catch {
      return .end(.refused(error))
    }
  }

  private func step(after decision: Decision, at: Timestamp) throws(OperationError) -> Step {
    switch decision {
    case .lookAgain: return .end(.overtaken)
    case .unchanged(let result): return .end(.answered(.new(result)))
    case .changed(let result, let writes, let trace):
      let answer = answer(result)
      var pipeline = Pipeline()
      if let key = call.requestKey, case .kept(let bytes) = answer {
        pipeline.add(KeptAnswers.insert, [try record(of: bytes, concern(result), under: key, at: at)])
      }
      pipeline.append(writes)
      return .write(Attempt(trace: trace, answer: answer), pipeline)
    case .further(let decide): return .decideFurther(decide, at: at)
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

  private func record(
    of answer: [UInt8], _ concern: KeptAnswers.Concern, under key: RequestKey, at: Timestamp
  ) throws(OperationError) -> KeptAnswers.Record {
    guard let sealer = try sealer?.known() else {
      return KeptAnswers.Record(key: key, answer: answer, concern: concern, at: at)
    }
    return try OperationError.translating(sealing: "a kept answer") { () throws(SealingError) in
      try KeptAnswers.Record(
        key: key, sealing: answer, as: circumstances.newUniqueID(at: at), by: sealer, concern: concern, at: at)
    }
  }

  /// With a request key the answer is the text that is kept, so that the first one is the same as every repeat.
  private func answer(_ result: Result) -> Answer<Result> {
    call.requestKey == nil ? .new(result) : .kept(call.encode(result))
  }
}

extension KeyedChange {
  /// A change whose lock is known from the start.
  init(
    call: ChangeCall<Result>, pool: Pool, circumstances: Circumstances, sealer: SharedSealer? = nil,
    concern: @escaping (Result) -> KeptAnswers.Concern = { _ in .nobody },
    lock: ChangeLock<Locked>, decide: @escaping (Locked, Moment) throws(OperationError) -> Decision
  ) {
    self.init(
      call: call, pool: pool, circumstances: circumstances, sealer: sealer, concern: concern, lock: { lock },
      decide: decide)
  }
}
