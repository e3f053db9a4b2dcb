import Accounts
import Postgres
import Store
import Vault

/// What one sign-in of a batch finds once the locks are held.
enum SignInSituation {
  /// Its request key decides: answered before, running elsewhere, or used for something else.
  case ended(SignInJob.Ending)
  /// It is to be decided.
  case open(FoundSituation)

  /// Whether the same call is running elsewhere.
  var isInProgress: Bool {
    if case .ended(.failed(.refused(.inProgress))) = self { true } else { false }
  }

  /// Takes the locks of all jobs and loads what is known, in one round trip. Nil when somebody whom they concern was moved
  /// while they waited, and is not locked.
  static func load(
    for jobs: [SignInJob], sealer: Sealer, in transaction: Transaction
  ) async throws(PostgresError) -> [SignInSituation]? {
    let keyed = jobs.indices.filter { jobs[$0].request.requestKey != nil }
    let keys = keyed.compactMap { jobs[$0].request.requestKey }
    let asking = jobs.indices.filter { jobs[$0].claims.email != nil }

    var pipeline = Pipeline()
    let free = keys.isEmpty ? nil : pipeline.add(AdvisoryLock.tryAcquire, keys.map(\.lock))
    let kept = keys.isEmpty ? nil : pipeline.add(KeptAnswers.find, keys)
    pipeline.add(AdvisoryLock.acquire, jobs.flatMap(\.locks).sorted())
    let questions = LockUsers.Questions(jobs.flatMap(\.usersQuestions))
    let locked = pipeline.add(LockUsers.statement, questions)
    let concerned = pipeline.add(LockUsers.concerned, questions)
    let identities = pipeline.add(FindIdentities.statement, jobs.map(\.key))
    let registrations = pipeline.add(FindRegistrations.lockingByKey, jobs.map(\.key))
    let holders =
      asking.isEmpty
      ? nil : pipeline.add(FindAddressHolders.statement, asking.compactMap { jobs[$0].addressQuestion })
    let removed =
      asking.isEmpty
      ? nil : pipeline.add(RemovedAddresses.find, asking.compactMap { jobs[$0].removalQuestion })
    let former = pipeline.add(FindFormerUsers.statement, jobs.map(\.key))
    let linking = LinkPlan(of: jobs, in: &pipeline)
    let results = try await transaction.run(pipeline)
    guard Set(try results.rows(of: locked)).isSuperset(of: try results.rows(of: concerned)) else { return nil }

    var facts = [FoundFacts](repeating: FoundFacts(), count: jobs.count)
    for row in try results.rows(of: identities) { facts[row.position].identity = row.found }
    for row in try results.rows(of: registrations) { facts[row.position].held = row.registration }
    for found in try results.rows(of: former) { facts[found.position].unlinkedFrom = found.user }
    if let holders {
      for found in try results.rows(of: holders) { facts[asking[found.position]].holder = found }
    }
    if let removed {
      for position in try results.rows(of: removed) { facts[asking[position]].isAddressRemoved = true }
    }
    try linking?.read(results, into: &facts, of: jobs)
    var situations = zip(jobs, facts).map { job, facts in facts.situation(of: job) }
    if let free, let kept {
      for (position, isFree) in try results.rows(of: free).enumerated() where !isFree {
        situations[keyed[position]] = .ended(.failed(.refused(.inProgress)))
      }
      for found in try results.rows(of: kept) {
        situations[keyed[found.position]] = .ended(found.ending(for: keys[found.position], sealer: sealer))
      }
    }
    return situations
  }
}

/// What one sign-in that is to be decided is decided from.
struct FoundSituation {
  let facts: SignInFacts
  let identity: FoundIdentity?
  let held: StoredRegistration?
  /// Those to whom the identity may be attached on somebody's word, with the survivors of those who were merged.
  let targets: [FindLinkTargets.Found]
  let challenge: StoredChallenge?
  /// Whose the identity of a proof is.
  let proofUser: UserID?

  /// Everybody whom the decision may be about.
  var users: Set<UserID> {
    Set(
      [facts.identity?.user, facts.holder?.user, facts.unlinkedFrom?.user, proofUser].compactMap(\.self)
        + targets.map(\.user.user))
  }

  /// The user whom an id means; nil if they were merged just now.
  ///
  /// - Throws: `not_found`, or `user_erased`.
  func target(of id: UserID) throws(OperationError) -> LinkTarget? {
    let user = try targets.map(\.user).user(of: id)
    return targets.first { $0.user.user == user?.user }?.target
  }

  /// Whom a proof shows somebody to be. What is to be attached proves nothing by itself.
  func meaning(of proof: ChallengeProof) -> ConfirmDecision.Proof {
    switch proof {
    case .identity(let key): key == challenge?.key ? .challengedIdentity : .identity(proofUser)
    case .word(let id): .word(targets.first { $0.user.user == id }?.user.survivor ?? id)
    }
  }

  /// Passes a refusal on; one for an identity that is somebody else's with whose it is.
  func translating<Value>(_ body: () throws(Refusal) -> Value) throws(OperationError) -> Value {
    do throws(Refusal) {
      return try body()
    } catch {
      guard error == .identityLinkedElsewhere, let owner = facts.identity?.user else { throw .refused(error) }
      throw .linkedElsewhere(owner)
    }
  }
}

/// The rows that concern one job.
private struct FoundFacts {
  var identity: FoundIdentity?
  var holder: FindAddressHolders.Found?
  var held: StoredRegistration?
  var unlinkedFrom: AddressHolder?
  var isAddressRemoved = false
  var targets: [FindLinkTargets.Found] = []
  var challenge: StoredChallenge?
  var proofUser: UserID?

  func situation(of job: SignInJob) -> SignInSituation {
    let facts = SignInFacts(
      identity: identity.map { $0.known(comparedWith: job.claims.email) }, holder: holder?.holder,
      wasUnlinkedFromHolder: holder?.wasUnlinked ?? false, unlinkedFrom: unlinkedFrom,
      isAddressRemoved: isAddressRemoved)
    return .open(
      FoundSituation(
        facts: facts, identity: identity, held: held, targets: targets, challenge: challenge, proofUser: proofUser))
  }
}

/// The statements that load what only those jobs need that attach an identity on somebody's word.
private struct LinkPlan {
  private let targets: Pipeline.Slot<FindLinkTargets.Found>
  private let challenges: Pipeline.Slot<StoredChallenge>?
  /// The jobs whose proof is an identity.
  private let proving: [Int]
  private let proofs: Pipeline.Slot<(position: Int, found: FoundIdentity)>?

  /// Nil when no job is one of those.
  init?(of jobs: [SignInJob], in pipeline: inout Pipeline) {
    let named = jobs.flatMap(\.namedUsers)
    guard !named.isEmpty else { return nil }
    targets = pipeline.add(FindLinkTargets.statement, named)
    proving = jobs.indices.filter { jobs[$0].proofKey != nil }
    proofs = proving.isEmpty ? nil : pipeline.add(FindIdentities.statement, proving.compactMap { jobs[$0].proofKey })
    let answered = jobs.compactMap(\.challenge)
    challenges = answered.isEmpty ? nil : pipeline.add(FindChallenges.locking, answered)
  }

  func read(_ results: PipelineResults, into facts: inout [FoundFacts], of jobs: [SignInJob]) throws(PostgresError) {
    let found = try results.rows(of: targets)
    let challenges = try challenges.map { slot throws(PostgresError) in try results.rows(of: slot) } ?? []
    for (position, job) in jobs.enumerated() where !job.namedUsers.isEmpty {
      let named = Set(job.namedUsers)
      let survivors = Set(found.filter { named.contains($0.user.user) }.compactMap(\.user.survivor))
      facts[position].targets = found.filter { named.union(survivors).contains($0.user.user) }
      facts[position].challenge = challenges.first { $0.challenge == job.challenge }
    }
    guard let proofs else { return }
    for row in try results.rows(of: proofs) { facts[proving[row.position]].proofUser = row.found.user }
  }
}

extension SignInJob {
  fileprivate var usersQuestions: [LockUsers.Question] {
    let ofClaims = LockUsers.Question(
      key: key, address: claims.email?.address.canonical,
      isVouchedFor: claims.email.map { request.policy.vouches(for: $0) } ?? false)
    return [ofClaims] + namedUsers.map { LockUsers.Question(user: $0) }
      + (proofKey.map { [LockUsers.Question(key: $0)] } ?? [])
  }

  fileprivate var addressQuestion: AddressQuestion? {
    claims.email.map { email in
      AddressQuestion(
        key: key, address: email.address.canonical, isEnough: request.policy.attaches(by: email))
    }
  }

  /// A challenge has one candidate, who holds the address; should there be several, the first is asked about.
  fileprivate var removalQuestion: RemovedAddresses.Question? {
    claims.email.map { email in
      RemovedAddresses.Question(key: key, address: email.address.canonical, user: namedUsers.first)
    }
  }

  /// The users who are named by their ids: to whom the identity is to be attached, and who is said to be signed in.
  fileprivate var namedUsers: [UserID] {
    switch request.purpose {
    case .signIn: []
    case .link(let user, _, _): [user]
    case .confirm(_, let candidates, .word(let user)): candidates + [user]
    case .confirm(_, let candidates, .identity): candidates
    }
  }

  fileprivate var challenge: ChallengeID? {
    if case .confirm(let challenge, _, _) = request.purpose { challenge } else { nil }
  }

  fileprivate var proofKey: StoredKey? {
    if case .confirm(_, _, .identity(let key)) = request.purpose { key } else { nil }
  }
}

extension FoundIdentity {
  /// The identity as decisions see it. The recorded address is read only when it is spelt otherwise than the reported one.
  func known(comparedWith reported: ReportedEmail?) -> KnownIdentity {
    KnownIdentity(identity: identity, user: user, status: status, email: recordedEmail(comparedWith: reported))
  }

  private func recordedEmail(comparedWith reported: ReportedEmail?) -> ReportedEmail? {
    guard let email, let reported else { return nil }
    if ExactText(reported.address.asGiven) == email {
      return ReportedEmail(reported.address, isVerified: emailVerified, isPrivate: isPrivateEmail)
    }
    return (try? EmailAddress(email.string)).map {
      ReportedEmail($0, isVerified: emailVerified, isPrivate: isPrivateEmail)
    }
  }
}

extension KeptAnswers.Found {
  /// The kept answer, if it was given to a call with the same parameters.
  ///
  /// - Parameter sealer: opens an answer that is kept sealed; nil where none ever is.
  func answer(for key: RequestKey, sealer: Sealer?) throws(OperationError) -> [UInt8] {
    guard key.matches(parametersDigest) else { throw .refused(.requestKeyReused) }
    return try OperationError.translating(sealing: journalName) { () throws(SealingError) in
      try answer(to: key, sealer: sealer)
    }
  }

  fileprivate func ending(for key: RequestKey, sealer: Sealer) -> SignInJob.Ending {
    do throws(OperationError) {
      return .answered(.kept(try answer(for: key, sealer: sealer)))
    } catch {
      return .failed(error)
    }
  }
}
