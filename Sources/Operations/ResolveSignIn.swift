import Accounts
import EventLoop
import Postgres
import Spool
import Store
import Vault

/// Answers which of our users somebody is.
///
/// A known identity with nothing new is answered from one batched read. Everything else is decided again under locks and
/// written by ``SignInWriter``.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class ResolveSignIn: @unchecked Sendable {
  typealias Outcome = Result<Answer<SignInResult>, OperationError>
  private typealias Found = Result<FoundIdentity?, PostgresError>

  /// Longer than a few files take, and shorter than a person likes to wait.
  private static let deliveryLooksMax = 100
  private static let deliveryLookMilliseconds: UInt64 = 20

  private let loop: EventLoop
  private let lookup: IdentityLookup
  private let lastSignIns: LastSignIns
  private let keeper: DetailsKeeper
  private let detailsSpool: DetailsSpool
  let writer: SignInWriter
  let reads: Pool
  let sealer: SharedSealer
  let circumstances: Circumstances
  /// The request keys of calls that are running here.
  private var running: Set<AdvisoryLock> = []

  public init(
    on loop: EventLoop, reads: Pool, writes: Pool, lastSignIns: LastSignIns, sealer: SharedSealer,
    details: DetailsSpool, circumstances: Circumstances
  ) {
    self.loop = loop
    lookup = IdentityLookup(on: loop, from: reads)
    writer = SignInWriter(on: loop, to: writes, sealer: sealer, details: details, circumstances: circumstances)
    keeper = DetailsKeeper(on: loop, in: details)
    detailsSpool = details
    self.sealer = sealer
    self.reads = reads
    self.lastSignIns = lastSignIns
    self.circumstances = circumstances
  }

  /// Tells the asker the outcome.
  ///
  /// - Parameter namespace: the number of the claims' namespace.
  public func resolve(_ request: SignInRequest, namespace: Int32) {
    let key = StoredKey(namespace: namespace, subject: request.claims.identity.subject)
    if let lock = request.requestKey?.lock, !running.insert(lock).inserted {
      return request.asker.signInEnded(.failure(.refused(.inProgress)))
    }
    lookup.find(key) { [self] found in
      if let outcome = outcomeAtOnce(request, found) { return request.asker.signInEnded(outcome) }
      Task.immediate(executorPreference: loop) {
        let outcome = await outcome(request, key, found)
        if let lock = request.requestKey?.lock { running.remove(lock) }
        request.asker.signInEnded(outcome)
      }
    }
  }

  /// The outcome where what was found is all that it takes, as for nearly every sign-in: it needs no task of its own.
  private func outcomeAtOnce(_ request: SignInRequest, _ found: Found) -> Outcome? {
    guard request.requestKey == nil, request.include.isEmpty else { return nil }
    do throws(OperationError) {
      return try knownUser(request, found).map { .success(.new($0.result(for: request, details: nil))) }
    } catch {
      return error.leavesDetailsUnkept && request.bringsDetails ? nil : .failure(error.with(.notKept))
    }
  }

  /// Answers a sign-in while it is not known under which number the database keeps the namespace, and so not whether the
  /// person is known.
  ///
  /// - Parameter isReadOnly: whether the database was reached and takes no changes.
  public func keep(_ request: SignInRequest, isReadOnly: Bool) {
    Task.immediate(executorPreference: loop) {
      let why = "its namespaces are not known yet"
      let error = OperationError.databaseUnavailable(isReadOnly ? .readOnly(why) : .unavailable(why))
      request.asker.signInEnded(.failure(await keeping(request, error)))
    }
  }

  /// Keeps what a sign-in brought that the database does not take now.
  private func keeping(_ request: SignInRequest, _ error: OperationError) async -> OperationError {
    guard error.leavesDetailsUnkept else { return error }
    guard request.bringsDetails else { return error.with(.notKept) }
    let now = circumstances.now()
    return error.with(await keeper.keep(request.spoolEntry(as: circumstances.newID(at: now), at: now)))
  }

  private func outcome(_ request: SignInRequest, _ key: StoredKey, _ found: Found) async -> Outcome {
    var found = found
    var held: HeldRegistration?
    do throws(OperationError) {
      while true {
        if let answer = try await answerWithoutChange(request, key, found) { return .success(answer) }
        let isUnknown = (try? found.get()) == nil
        if isUnknown { try await waitForDelivery(of: request.claims.identity) }
        let claims = held?.resumed(by: request.claims) ?? request.claims
        // Nobody who is known loses anything that was not written down before.
        let isSpooled = request.bringsDetails && isUnknown
        switch await writer.write(request, key: key, claims: claims, resuming: held, isSpooled: isSpooled) {
        case .answered(let answer):
          if case .new(.user(.signedIn, _, let identity?, _, _)) = answer { note(identity.identity) }
          return .success(answer)
        case .failed(let error): return .failure(await keeping(request, error))
        case .overtaken:
          found = await withUnsafeContinuation { continuation in
            lookup.find(key) { continuation.resume(returning: $0) }
          }
          // Nothing is resumed by who is known, even if a registration that became them was put back.
          held = nil
          guard (try? found.get()) == nil else { continue }
          // First, because an answer holds even if what is held does not open any more.
          if let kept = try await keptAnswer(to: request.requestKey) { return .success(kept) }
          held = try await heldRegistration(of: key)
        }
      }
    } catch {
      return .failure(await keeping(request, error))
    }
  }

  /// Waits until nothing that somebody said is in the spool any more: without their address they might become another user.
  ///
  /// Whoever was refused instead, and asked again at once, would bring the same into the spool anew each time.
  ///
  /// - Throws: `database_unavailable` if it takes longer than a caller should wait.
  func waitForDelivery(of identity: IdentityKey) async throws(OperationError) {
    var looks = 0
    while detailsSpool.spool.isWaiting(identity) {
      guard looks < Self.deliveryLooksMax else {
        throw .databaseUnavailable(.unavailable("what is kept of the person is not delivered yet"))
      }
      looks += 1
      detailsSpool.askForDelivery()
      await loop.pause(milliseconds: Self.deliveryLookMilliseconds)
    }
  }

  func heldRegistration(of key: StoredKey) async throws(OperationError) -> HeldRegistration? {
    let stored = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(FindRegistrations.byKey, key).first
    }
    return try stored.flatMap { stored throws(OperationError) in
      stored.isExpired(at: circumstances.now()) ? nil : try stored.held(by: sealer)
    }
  }

  /// The answer where nothing is to be written; nil where something is.
  ///
  /// A kept answer is looked for after the identity: whoever made the identity known may have been the first call under this
  /// very key, and then its answer became visible at the same moment.
  private func answerWithoutChange(
    _ request: SignInRequest, _ key: StoredKey, _ found: Found
  ) async throws(OperationError) -> Answer<SignInResult>? {
    do throws(OperationError) {
      guard let known = try knownUser(request, found) else { return nil }
      if let kept = try await keptAnswer(to: request.requestKey) { return kept }
      guard !request.include.isEmpty else { return .new(known.result(for: request, details: nil)) }
      guard let details = try await details(request.include, of: known.user, having: key) else { return nil }
      return .new(known.result(for: request, details: details))
    } catch {
      guard case .refused = error, let kept = try await keptAnswer(to: request.requestKey) else { throw error }
      return kept
    }
  }

  func keptAnswer(to key: RequestKey?) async throws(OperationError) -> Answer<SignInResult>? {
    guard let key else { return nil }
    let kept = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(KeptAnswers.find, [key]).first
    }
    return try kept.map { kept throws(OperationError) in .kept(try kept.answer(for: key, sealer: sealer.current)) }
  }

  /// The parts of a user at a moment at which the identity is theirs; nil when it is not any more.
  private func details(
    _ parts: Set<UserPart>, of user: UserID, having key: StoredKey
  ) async throws(OperationError) -> UserDetails? {
    try await OperationError.translating { () throws(PostgresError) in
      var pipeline = Pipeline.ofOneMoment
      let slot = pipeline.add(FindUsers.byIdentity, key)
      let plan = UserDetails.Plan(parts, of: user, in: &pipeline)
      let results = try await reads.run(pipeline)
      guard try results.first(of: slot)?.user == user else { return nil }
      return try plan.details(from: results)
    }
  }

  /// The known identity, if it comes with nothing new; nil when something is to be written.
  private func knownUser(_ request: SignInRequest, _ found: Found) throws(OperationError) -> FoundIdentity? {
    guard let known = try found.mapError({ OperationError($0) }).get() else { return nil }
    let change = try OperationError.translating { () throws(Refusal) in
      try known.known(comparedWith: request.claims.email)
        .change(by: request.claims, policy: request.policy)
    }
    guard change == nil else { return nil }
    note(known.identity)
    return known
  }

  func note(_ identity: IdentityID) {
    lastSignIns.note(identity, at: circumstances.now())
  }
}

extension FoundIdentity {
  fileprivate func result(for request: SignInRequest, details: UserDetails?) -> SignInResult {
    .user(.signedIn, user, identity: record(of: request.claims.identity), details: details, isResumed: false)
  }

  /// The identity as an answer tells it.
  func record(of key: IdentityKey) -> IdentityRecord {
    IdentityRecord(
      identity: identity, namespace: key.namespace, subject: key.subject.text, user: user, email: email,
      emailVerified: email == nil ? nil : emailVerified, linkedAt: linkedAt, linkedBy: linkedBy, lastSignInAt: nil)
  }
}
