import Accounts
import Postgres
import Store
import Vault

/// What one sign-in of a batch finds once the locks are held.
enum SignInSituation {
  /// Its request key decides: answered before, running elsewhere, or used for something else.
  case ended(SignInJob.Ending)
  /// It is to be decided.
  case open(SignInFacts, found: FoundIdentity?, held: StoredRegistration?)

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
    let locked = pipeline.add(LockUsers.statement, jobs.map(\.usersQuestion))
    let concerned = pipeline.add(LockUsers.concerned, jobs.map(\.usersQuestion))
    let identities = pipeline.add(FindIdentities.statement, jobs.map(\.key))
    let registrations = pipeline.add(FindRegistrations.lockingByKey, jobs.map(\.key))
    let holders =
      asking.isEmpty
      ? nil : pipeline.add(FindAddressHolders.statement, asking.compactMap { jobs[$0].addressQuestion })
    let results = try await transaction.run(pipeline)
    guard Set(try results.rows(of: locked)).isSuperset(of: try results.rows(of: concerned)) else { return nil }

    var facts = [FoundFacts](repeating: FoundFacts(), count: jobs.count)
    for row in try results.rows(of: identities) { facts[row.position].identity = row.found }
    for row in try results.rows(of: registrations) { facts[row.position].held = row.registration }
    if let holders {
      for found in try results.rows(of: holders) { facts[asking[found.position]].holder = found }
    }
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

/// The rows that concern one job.
private struct FoundFacts {
  var identity: FoundIdentity?
  var holder: FindAddressHolders.Found?
  var held: StoredRegistration?

  func situation(of job: SignInJob) -> SignInSituation {
    let facts = SignInFacts(
      identity: identity.map { $0.known(comparedWith: job.claims.email) }, holder: holder?.holder,
      wasUnlinkedFromHolder: holder?.wasUnlinked ?? false)
    return .open(facts, found: identity, held: held)
  }
}

extension SignInJob {
  fileprivate var usersQuestion: LockUsers.Question {
    LockUsers.Question(
      key: key, address: claims.email?.address.canonical,
      isVouchedFor: claims.email.map { request.policy.vouches(for: $0) } ?? false)
  }

  fileprivate var addressQuestion: AddressQuestion? {
    claims.email.map { email in
      AddressQuestion(
        key: key, address: email.address.canonical, isVouchedFor: request.policy.vouches(for: email))
    }
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
