import Accounts
import Postgres
import Spool
import Store
import Vault

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
  let sealer: SharedSealer
  let details: DetailsSpool
  let circumstances: Circumstances

  /// Ends every job. What the jobs bring is on its way into the spool meanwhile, and there before anything is committed; it
  /// stays there if the database does not take it.
  func run() async {
    let entries = jobs.compactMap(\.entry)
    guard !entries.isEmpty else { return end(await endings(spooling: nil)) }
    let spooling = Spooling(executorPreference: pool.loop) { [details, pool] in
      await details.write(entries, on: pool.loop)
    }
    var endings = await endings(spooling: spooling)
    switch await spooling.value {
    case .success(let file):
      if endings.contains(where: \.leavesDetailsUnkept) {
        let fate = await details.force(file, holding: entries, on: pool.loop)
        for position in endings.indices { endings[position].fail(with: fate) }
        end(endings)
      } else if endings.contains(where: \.tellsOfHeldDetails) {
        // Whoever is told that something is held may drop it at once, and it must not come back from here.
        await details.remove(file, on: pool.loop)
        end(endings)
      } else {
        end(endings)
        await details.remove(file, on: pool.loop)
      }
    case .failure(let failure):
      for position in endings.indices { endings[position].fail(with: failure.fate) }
      end(endings)
    }
  }

  private func end(_ endings: [SignInJob.Ending]) {
    for (job, ending) in zip(jobs, endings) { job.end(ending) }
  }

  /// - Parameters:
  ///   - spooling: over before anything is committed.
  ///   - isUncertain: whether an earlier attempt may have been committed; then these jobs are never told that they failed
  ///     before that is known.
  private func endings(spooling: Spooling?, isUncertain: Bool = false) async -> [SignInJob.Ending] {
    var isUncertain = isUncertain
    var attemptsLeft = jobs.count == 1 ? Self.attemptsMax : 1
    while true {
      do throws(PostgresError) {
        if let endings = try await transact(spooling: spooling, isUncertain: isUncertain) { return endings }
      } catch {
        if case .commitUnknown = error { isUncertain = true }
        attemptsLeft -= 1
        if isUncertain, error.passes {
          await pool.loop.pause(milliseconds: Self.pauseMilliseconds)
        } else if jobs.count > 1, case .server = error {
          return await endingsOfEachAlone(spooling: spooling, isUncertain: isUncertain)
        } else if attemptsLeft == 0 || !error.isLostRace {
          return jobs.map { _ in .failed(OperationError(error)) }
        }
      }
    }
  }

  private func endingsOfEachAlone(spooling: Spooling?, isUncertain: Bool) async -> [SignInJob.Ending] {
    var endings: [SignInJob.Ending] = []
    for job in jobs {
      let batch = SignInBatch(
        jobs: [job], pool: pool, sealer: sealer, details: details, circumstances: circumstances)
      endings += await batch.endings(spooling: spooling, isUncertain: isUncertain)
    }
    return endings
  }

  /// Nil when somebody was moved while their locks were waited for: then it is begun again.
  private func transact(
    spooling: Spooling?, isUncertain: Bool
  ) async throws(PostgresError) -> [SignInJob.Ending]? {
    guard let sealer = sealer.current else { throw .unavailable("it is not known yet which database this is") }
    let transaction = try await pool.begin()
    do throws(PostgresError) {
      guard let situations = try await SignInSituation.load(for: jobs, sealer: sealer, in: transaction) else {
        await transaction.rollback()
        return nil
      }
      // A request key may still be held by the very attempt that is looked for.
      if isUncertain, situations.contains(where: \.isInProgress) { throw .unavailable("a former attempt is not over") }
      var records = SignInRecords(sealer: sealer, circumstances: circumstances)
      var endings: [SignInJob.Ending] = []
      var concerned: Set<UserID> = []
      for (job, situation) in zip(jobs, situations) {
        endings.append(decide(job, situation, &records, &concerned))
      }
      _ = await spooling?.value
      try await commit(records, &endings, sealer: sealer, in: transaction)
      return endings
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
    case .open(let found):
      if let attempt = job.attempt, attempt.isSeen(in: found) { return attempt.ending }
      let expired = found.held.flatMap { $0.isExpired(at: records.at) ? $0 : nil }
      let held = expired == nil ? found.held : nil
      // Whoever is known needs nothing of what is held; a registration that is completed is looked for all the same.
      guard job.resumes(found.facts.identity == nil || job.resuming != nil ? held : nil) else {
        return .overtaken
      }
      guard concerned.isDisjoint(with: found.users) else { return .overtaken }
      concerned.formUnion(found.users)
      do throws(OperationError) {
        let ending = try decide(job, found, &records)
        if let expired, records.changed.contains(job.key) { records.drop(expired) }
        return ending
      } catch {
        return .failed(error)
      }
    }
  }

  private func decide(
    _ job: SignInJob, _ found: FoundSituation, _ records: inout SignInRecords
  ) throws(OperationError) -> SignInJob.Ending {
    let claims = job.claims(of: found.facts)
    let policy = job.request.policy
    switch job.request.purpose {
    case .signIn:
      let decision = try OperationError.translating { () throws(Refusal) in
        try SignInDecision(claims, facts: found.facts, policy: policy)
      }
      return .answered(.new(try records.add(decision, for: job, found: found.identity)))
    case .link(let user, _, _):
      guard let target = try found.target(of: user) else { return .overtaken }
      let decision = try found.translating { () throws(Refusal) in
        try SignInDecision(linking: claims, to: target, by: .link, facts: found.facts, policy: policy)
      }
      return .answered(.new(try records.add(decision, for: job, found: found.identity)))
    case .confirm(_, _, let proof):
      guard let challenge = found.challenge else { throw .refused(.notFound) }
      let decision = try found.translating { () throws(Refusal) in
        try ConfirmDecision(
          challenge.facts, proof: found.meaning(of: proof), candidates: found.targets.map(\.target), of: claims,
          facts: found.facts, policy: policy, caller: job.request.caller, at: records.at)
      }
      return try records.add(decision, about: challenge, for: job, found: found.identity)
    }
  }

  /// Writes what was decided and commits. Details that were asked for are read in between, and answers to be kept go along.
  private func commit(
    _ records: SignInRecords, _ endings: inout [SignInJob.Ending], sealer: Sealer, in transaction: Transaction
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
    try keepAnswers(records, &endings, sealer: sealer, in: &pipeline)
    for audit in records.audits { pipeline.add(AppendAudit.statement, audit) }
    _ = try await transaction.commit(pipeline, changes: !records.isEmpty)
  }

  private func keepAnswers(
    _ records: SignInRecords, _ endings: inout [SignInJob.Ending], sealer: Sealer, in pipeline: inout Pipeline
  ) throws(PostgresError) {
    var kept: [KeptAnswers.Record] = []
    for (position, job) in jobs.enumerated() where records.changed.contains(job.key) {
      guard let key = job.request.requestKey, case .answered(.new(let result)) = endings[position] else { continue }
      let answer = job.request.asker.encoded(result)
      let concern = KeptAnswers.Concern(user: result.user, about: .identity(job.key))
      kept.append(
        result.tellsSealed
          ? try sealed(answer, concern, under: key, at: records.at, sealer)
          : KeptAnswers.Record(key: key, answer: answer, concern: concern, at: records.at))
      endings[position] = .answered(.kept(answer))
    }
    if !kept.isEmpty { pipeline.add(KeptAnswers.insert, kept) }
  }

  /// - Throws: what ends the transaction, since what was decided may not be done without its answer.
  private func sealed(
    _ answer: [UInt8], _ concern: KeptAnswers.Concern, under key: RequestKey, at: Timestamp, _ sealer: Sealer
  ) throws(PostgresError) -> KeptAnswers.Record {
    do {
      return try KeptAnswers.Record(
        key: key, sealing: answer, as: circumstances.newUniqueID(at: at), by: sealer, concern: concern, at: at)
    } catch {
      throw .unexpectedAnswer("an answer cannot be sealed: \(error)")
    }
  }
}

/// Details of a batch on their way into the spool.
private typealias Spooling = Task<Result<SpoolFile, DetailsSpool.NotWritten>, Never>

extension SignInJob.Ending {
  fileprivate var leavesDetailsUnkept: Bool {
    if case .failed(let error) = self { error.leavesDetailsUnkept } else { false }
  }

  fileprivate var tellsOfHeldDetails: Bool {
    guard case .answered(.new(let result)) = self else { return false }
    return switch result {
    case .held, .linkRequired: true
    case .user, .notFound: false
    }
  }

  /// Tells in a failure what became of the details.
  fileprivate mutating func fail(with fate: DetailsSpool.Fate) {
    if case .failed(let error) = self { self = .failed(error.with(fate)) }
  }
}

extension SignInJob.Attempt {
  /// Whether what is found bears the marks of this attempt.
  fileprivate func isSeen(in found: FoundSituation) -> Bool {
    switch mark {
    case .identity(let identity): found.identity?.identity == identity
    case .registration(let registration, let version):
      found.held?.registration == registration && found.held?.version == version
    case .challengeUsed(let at): found.challenge?.usedAt == at
    case .wrongProofs(let count): (found.challenge?.facts.wrongProofs ?? 0) >= count
    }
  }
}

extension SignInJob {
  /// What is decided about. What was held before somebody became known says nothing of how they stand now.
  fileprivate func claims(of facts: SignInFacts) -> Claims {
    facts.identity != nil && resuming != nil ? Claims(identity: claims.identity) : claims
  }

  /// Whether what is held now is what the job's claims were filled in from.
  fileprivate func resumes(_ held: StoredRegistration?) -> Bool {
    held?.registration == resuming?.registration && held?.version == resuming?.version
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

extension SignInResult {
  /// The user of whom it tells: who the person is, or may be.
  fileprivate var user: UserID? {
    switch self {
    case .user(_, let user, _, _, _): user
    case .linkRequired(let challenge, _): challenge.candidates.first?.user
    case .held, .notFound: nil
    }
  }
}

extension SignInJob.Ending {
  /// The user in a new answer.
  fileprivate var user: UserID? {
    if case .answered(.new(.user(_, let user, _, _, _))) = self { user } else { nil }
  }

  /// Puts details into a new answer about a user.
  fileprivate mutating func add(_ details: UserDetails) {
    guard case .answered(.new(.user(let outcome, let user, let identity, _, let isResumed))) = self else { return }
    self = .answered(.new(.user(outcome, user, identity: identity, details: details, isResumed: isResumed)))
  }
}
