import Accounts
import Postgres
import Store

/// One transaction for sign-ins that have no identity and no address in common: locks, facts, decisions, records.
///
/// A failure of one may not spoil the others: then each goes alone. After a commit whose outcome is unknown the same jobs run
/// again under the ids of the first attempt: the locks make them wait until that attempt is over, and an identity that
/// bears its id tells that it was committed.
struct SignInBatch {
  /// How often a job that lost a race tries again before it is told to come back later.
  private static let attemptsMax = 5
  /// Between two looks at whether an uncertain commit happened.
  private static let pauseMilliseconds: UInt64 = 20

  let jobs: [SignInJob]
  let pool: Pool
  let circumstances: Circumstances

  /// Ends every job.
  ///
  /// - Parameter isUncertain: whether an earlier attempt may have been committed; then these jobs are never told that they
  ///   failed before that is known.
  func run(isUncertain: Bool = false) async {
    var isUncertain = isUncertain
    var attemptsLeft = jobs.count == 1 ? Self.attemptsMax : 1
    while true {
      do throws(PostgresError) {
        return try await transact(isUncertain: isUncertain)
      } catch {
        if case .commitUnknown = error { isUncertain = true }
        attemptsLeft -= 1
        if isUncertain, error.passes {
          await pool.loop.pause(milliseconds: Self.pauseMilliseconds)
        } else if jobs.count > 1, case .server = error {
          return await runEachAlone(isUncertain: isUncertain)
        } else if attemptsLeft == 0 || !error.isLostRace {
          for job in jobs { job.end(.failed(OperationError(error))) }
          return
        }
      }
    }
  }

  private func runEachAlone(isUncertain: Bool) async {
    for job in jobs {
      await SignInBatch(jobs: [job], pool: pool, circumstances: circumstances).run(isUncertain: isUncertain)
    }
  }

  private func transact(isUncertain: Bool) async throws(PostgresError) {
    let transaction = try await pool.begin()
    do throws(PostgresError) {
      let situations = try await SignInSituation.load(for: jobs, in: transaction)
      // A request key may still be held by the very attempt that is looked for.
      if isUncertain, situations.contains(where: \.isInProgress) { throw .unavailable("a former attempt is not over") }
      var records = SignInRecords(circumstances: circumstances)
      var endings: [SignInJob.Ending] = []
      var concerned: Set<UserID> = []
      for (job, situation) in zip(jobs, situations) {
        endings.append(decide(job, situation, &records, &concerned))
      }
      try await commit(records, &endings, in: transaction)
      for (job, ending) in zip(jobs, endings) { job.end(ending) }
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  /// - Parameter concerned: the users whom earlier decisions of this batch are about. What was loaded of them before those
  ///   decisions holds no longer, so a second one looks again.
  private func decide(
    _ job: SignInJob, _ situation: SignInSituation, _ records: inout SignInRecords, _ concerned: inout Set<UserID>
  ) -> SignInJob.Ending {
    switch situation {
    case .ended(let ending):
      return ending
    case .open(let facts, let found):
      if let attempt = job.attempt, attempt.identity == found?.identity { return .answered(.new(attempt.result)) }
      let users = [facts.identity?.user, facts.holder?.user].compactMap(\.self)
      guard concerned.isDisjoint(with: users) else { return .overtaken }
      concerned.formUnion(users)
      do throws(Refusal) {
        let decision = try SignInDecision(job.request.claims, facts: facts, policy: job.request.policy)
        return .answered(.new(records.add(decision, for: job, found: found)))
      } catch {
        return .failed(.refused(error))
      }
    }
  }

  /// Writes what was decided and commits. Details that were asked for are read in between, and answers to be kept go along.
  private func commit(
    _ records: SignInRecords, _ endings: inout [SignInJob.Ending], in transaction: Transaction
  ) async throws(PostgresError) {
    var pipeline = records.pipeline
    var plans: [(position: Int, plan: UserDetails.Plan)] = []
    for (position, job) in jobs.enumerated() where !job.request.include.isEmpty {
      guard let user = endings[position].user else { continue }
      plans.append((position, UserDetails.Plan(job.request.include, of: user, in: &pipeline)))
    }
    if !plans.isEmpty {
      let results = try await transaction.run(pipeline)
      for (position, plan) in plans { endings[position].add(try plan.details(from: results)) }
      pipeline = Pipeline()
    }
    keepAnswers(records, &endings, in: &pipeline)
    _ = try await transaction.commit(pipeline, changes: !records.isEmpty)
  }

  private func keepAnswers(
    _ records: SignInRecords, _ endings: inout [SignInJob.Ending], in pipeline: inout Pipeline
  ) {
    var kept: [KeptAnswers.Record] = []
    for (position, job) in jobs.enumerated() where records.changed.contains(job.key) {
      guard let key = job.request.requestKey, case .answered(.new(let result)) = endings[position] else { continue }
      let answer = job.request.asker.encoded(result)
      kept.append(KeptAnswers.Record(key: key, answer: answer, at: records.at))
      endings[position] = .answered(.kept(answer))
    }
    if !kept.isEmpty { pipeline.add(KeptAnswers.insert, kept) }
  }
}

extension PostgresError {
  /// Whether the same transaction may succeed a moment later.
  var passes: Bool {
    switch self {
    case .unavailable, .connectionLost, .commitUnknown, .readOnly: true
    case .server(let error): error.state.passes
    case .unexpectedAnswer: false
    }
  }

  /// Whether somebody else was quicker, so that another try finds what they left.
  var isLostRace: Bool {
    if case .server(let error) = self { error.state.passes } else { false }
  }
}

extension SignInJob.Ending {
  /// The user in a new answer.
  fileprivate var user: UserID? {
    if case .answered(.new(.user(_, let user, _, _))) = self { user } else { nil }
  }

  /// Puts details into a new answer about a user.
  fileprivate mutating func add(_ details: UserDetails) {
    guard case .answered(.new(.user(let outcome, let user, let identity, _))) = self else { return }
    self = .answered(.new(.user(outcome, user, identity: identity, details: details)))
  }
}
