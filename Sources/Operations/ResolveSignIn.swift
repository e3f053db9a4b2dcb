import Accounts
import EventLoop
import Postgres
import Store

/// Answers which of our users somebody is.
///
/// A known identity with nothing new is answered from one batched read. Everything else is decided again under locks and
/// written by ``SignInWriter``.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class ResolveSignIn: @unchecked Sendable {
  private let lookup: IdentityLookup
  private let writer: SignInWriter
  private let reads: Pool
  private let lastSignIns: LastSignIns
  private let circumstances: Circumstances
  /// The request keys of calls that are running here.
  private var running: Set<AdvisoryLock> = []

  public init(
    on loop: EventLoop, reads: Pool, writes: Pool, lastSignIns: LastSignIns, circumstances: Circumstances
  ) {
    lookup = IdentityLookup(on: loop, from: reads)
    writer = SignInWriter(on: loop, to: writes, circumstances: circumstances)
    self.reads = reads
    self.lastSignIns = lastSignIns
    self.circumstances = circumstances
  }

  /// - Parameter namespace: the number of the claims' namespace.
  public func resolve(
    _ request: SignInRequest, namespace: Int32
  ) async throws(OperationError) -> Answer<SignInResult> {
    let key = StoredKey(namespace: namespace, subject: request.claims.identity.subject)
    guard let requestKey = request.requestKey else { return try await decide(request, key) }
    guard running.insert(requestKey.lock).inserted else { throw .refused(.inProgress) }
    defer { running.remove(requestKey.lock) }
    return try await decide(request, key)
  }

  private func decide(_ request: SignInRequest, _ key: StoredKey) async throws(OperationError) -> Answer<SignInResult> {
    while true {
      if let answer = try await answerWithoutChange(request, key) { return answer }
      switch await writer.write(request, key: key) {
      case .answered(let answer): return answer
      case .failed(let error): throw error
      case .overtaken: continue
      }
    }
  }

  /// The answer where nothing is to be written; nil where something is.
  ///
  /// A kept answer is looked for after the identity: whoever made the identity known may have been the first call under this
  /// very key, and then its answer became visible at the same moment.
  private func answerWithoutChange(
    _ request: SignInRequest, _ key: StoredKey
  ) async throws(OperationError) -> Answer<SignInResult>? {
    do throws(OperationError) {
      guard let known = try await knownUser(request, key) else { return nil }
      return try await keptAnswer(to: request.requestKey) ?? .new(known)
    } catch {
      guard case .refused = error, let kept = try await keptAnswer(to: request.requestKey) else { throw error }
      return kept
    }
  }

  private func keptAnswer(to key: RequestKey?) async throws(OperationError) -> Answer<SignInResult>? {
    guard let key else { return nil }
    let kept = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(KeptAnswers.find, [key]).first
    }
    return try kept.map { kept throws(OperationError) in .kept(try kept.answer(to: key)) }
  }

  /// The answer for a known identity that comes with nothing new; nil when something is to be written.
  private func knownUser(_ request: SignInRequest, _ key: StoredKey) async throws(OperationError) -> SignInResult? {
    let found: FoundIdentity
    do throws(PostgresError) {
      guard let known = try await lookup.find(key) else { return nil }
      found = known
    } catch {
      throw OperationError(error)
    }
    let facts = SignInFacts(identity: found.known(comparedWith: request.claims.email))
    let decision = try OperationError.translating { () throws(Refusal) in
      try SignInDecision(request.claims, facts: facts, policy: request.policy)
    }
    guard case .signIn(let user, let identity, nil) = decision else { return nil }
    lastSignIns.note(identity, at: circumstances.now())
    var details: UserDetails?
    if !request.include.isEmpty {
      details = try await OperationError.translating { () throws(PostgresError) in
        try await UserDetails.load(request.include, of: user, from: reads)
      }
    }
    return .user(.signedIn, user, identity: found.record(of: request.claims.identity), details: details)
  }
}

extension FoundIdentity {
  /// The identity as an answer tells it.
  func record(of key: IdentityKey) -> IdentityRecord {
    IdentityRecord(
      identity: identity, namespace: key.namespace, subject: key.subject.text, user: user, email: email,
      emailVerified: email == nil ? nil : emailVerified, linkedAt: linkedAt, linkedBy: linkedBy, lastSignInAt: nil)
  }
}
