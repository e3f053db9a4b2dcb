import Accounts
import EventLoop
import Postgres
import Spool
import Store
import Synchronization
import Vault

/// Brings what the spool keeps into the database: details become held registrations, or fill the gaps of whom their
/// identity belongs to by now, the address included.
///
/// What is delivered twice changes nothing the second time: an entry bears the id of the registration that it becomes and the
/// time at which it was said, and whoever is a user already has no gap that it fills.
public final class DeliverKept: Sendable {
  /// What one run did.
  public struct Outcome: Sendable {
    public var delivered = 0
    public var expired = 0
    /// Why it stopped early; the next run goes on.
    public var failure: OperationError?
    /// Files that stay until the next start, and why.
    public var undeliverable: [(file: String, error: OperationError)] = []
    /// What could not be used, to be told.
    public var problems: [String] = []
  }

  private let writes: Pool
  private let details: DetailsSpool
  private let sealer: SharedSealer
  private let circumstances: Circumstances
  /// The addresses that were recorded of identities that had none, until all that is kept is delivered: what somebody said
  /// later still may be in a later file.
  private let addresses = Mutex<[StoredKey: ReportedEmail]>([:])

  public init(writes: Pool, details: DetailsSpool, sealer: SharedSealer, circumstances: Circumstances) {
    self.writes = writes
    self.details = details
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// Whether anything waits for the database that is served.
  public var hasWork: Bool { sealer.current.map { details.spool.hasFiles(for: $0.databaseID) } ?? false }

  /// Drops what nobody may keep any longer, also for other databases and of what was set aside. To be run now and then.
  public func removeExpired() async throws(SpoolError) {
    try await details.spool.removeExpired(now: circumstances.now(), on: writes.loop)
  }

  /// Delivers file after file, the oldest first, until none is left or one fails. To be run by one at a time.
  ///
  /// - Parameter trustsEmail: whether the word of a namespace's provider counts that an address is verified.
  public func runOnce(trustsEmail: @Sendable (Namespace) -> Bool) async -> Outcome {
    var outcome = Outcome()
    guard let sealer = sealer.current else { return outcome }
    while let file = details.spool.takeOldest(for: sealer.databaseID) {
      switch await deliver(file, sealer, trustsEmail, &outcome) {
      case .done: continue
      // Or else it would keep back all after it, and everybody who waits for them.
      case .undeliverable: details.spool.leave(file)
      case .later:
        details.spool.giveBack(file)
        return outcome
      }
    }
    addresses.withLock { $0 = [:] }
    return outcome
  }

  private enum Ending {
    case done
    /// It fails though the database is there.
    case undeliverable
    case later
  }

  private func deliver(
    _ file: SpoolFile, _ sealer: Sealer, _ trustsEmail: (Namespace) -> Bool, _ outcome: inout Outcome
  ) async -> Ending {
    do throws(SpoolError) {
      var contents = try await details.spool.contents(of: file, by: sealer, now: circumstances.now(), on: writes.loop)
      do throws(OperationError) {
        let unreadable = contents.entries.isEmpty ? [] : try await deliver(contents.entries, sealer, trustsEmail)
        // One registration that does not open keeps nobody else's details away.
        contents.problems += unreadable.map { SpoolProblem(file: file.name, kind: .sealed($0.registration, $0.error)) }
        outcome.delivered += contents.entries.count - unreadable.count
      } catch {
        guard !error.passesWithTime else {
          outcome.failure = error
          return .later
        }
        outcome.undeliverable.append((file.name, error))
        return .undeliverable
      }
      outcome.expired += contents.expired
      outcome.problems += contents.problems.map(\.description)
      try await details.spool.settle(file, contents, on: writes.loop)
      return .done
    } catch {
      outcome.problems.append("\(error)")
      return .later
    }
  }

  /// A held registration that an entry should have been added to, and why it cannot be.
  private typealias Unreadable = (registration: RegistrationID, error: SealingError)

  /// - Returns: one for each entry that was not delivered.
  private func deliver(
    _ entries: [SpoolEntry], _ sealer: Sealer, _ trustsEmail: (Namespace) -> Bool
  ) async throws(OperationError) -> [Unreadable] {
    let namespaces = try await OperationError.translating { () throws(PostgresError) in
      try await NamespaceDirectory.load(Array(Set(entries.map(\.identity.namespace))), from: writes)
    }
    var arrivals: [Arrival] = []
    for entry in entries {
      guard let number = namespaces.number(of: entry.identity.namespace) else { continue }
      let key = StoredKey(namespace: number, subject: entry.identity.subject)
      let claims = try OperationError.translating(sealing: "registration \(entry.id)") { () throws(SealingError) in
        try ClaimsText.read(entry.claims, of: entry.identity)
      }
      arrivals.append(Arrival(entry, key: key, claims: claims))
    }
    var unreadable: [Unreadable] = []
    while !arrivals.isEmpty {
      let (known, unreadableNow) = try await hold(arrivals, sealer)
      unreadable += unreadableNow
      arrivals = []
      for (key, said) in Dictionary(grouping: known, by: \.key) {
        let isStillKnown = try await fill(key, from: said, sealer, trustsEmail)
        // Who is nobody's any more is held after all.
        if !isStillKnown { arrivals += said }
      }
    }
    return unreadable
  }

  /// An entry on its way into the database.
  private struct Arrival {
    let entry: SpoolEntry
    let key: StoredKey
    let claims: Claims

    init(_ entry: SpoolEntry, key: StoredKey, claims: Claims) {
      self.entry = entry
      self.key = key
      self.claims = claims
    }

    /// What is held if nothing else is. Nil for a word of another version on how far the person may be linked.
    var asHeld: HeldRegistration? {
      SignInPolicy.Link(rawValue: entry.link.string).map { link in
        HeldRegistration(
          registration: entry.id, version: 0, claims: claims, link: link, heldAt: entry.receivedAt,
          saidAt: entry.receivedAt, emailSaidAt: claims.email == nil ? nil : entry.receivedAt,
          expiresAt: entry.expiresAt)
      }
    }
  }

  // MARK: People who are not users

  /// Holds the details of those whom nobody knows, in one transaction.
  ///
  /// - Returns: the others, and those that are held already in what cannot be opened.
  private func hold(
    _ arrivals: [Arrival], _ sealer: Sealer
  ) async throws(OperationError) -> (known: [Arrival], unreadable: [Unreadable]) {
    let transaction = try await OperationError.translating { () throws(PostgresError) in try await writes.begin() }
    do throws(OperationError) {
      var pipeline = Pipeline()
      let keys = arrivals.map(\.key)
      pipeline.add(AdvisoryLock.acquire, Set(keys).map { .identity($0) }.sorted())
      let identities = pipeline.add(FindIdentities.statement, keys)
      let registrations = pipeline.add(FindRegistrations.lockingByKey, keys)
      let completed = pipeline.add(FindRegistrations.completed, arrivals.map(\.entry.id))
      let found = try await OperationError.translating { () throws(PostgresError) in
        let results = try await transaction.run(pipeline)
        return (
          try results.rows(of: identities), try results.rows(of: registrations),
          Set(try results.rows(of: completed))
        )
      }
      var isKnown = [Bool](repeating: false, count: arrivals.count)
      for row in found.0 { isKnown[row.position] = true }
      let now = circumstances.now()
      var held: [StoredKey: HeldRegistration] = [:]
      var expired: Set<RegistrationID> = []
      var unreadable: [Int: Unreadable] = [:]
      for (position, stored) in found.1 where !isKnown[position] {
        guard !stored.isExpired(at: now) else {
          expired.insert(stored.registration)
          continue
        }
        do throws(SealingError) {
          held[keys[position]] = try stored.opened(by: sealer)
        } catch {
          guard error.isOfRecord else { throw .sealing(error, record: "registration \(stored.registration)") }
          unreadable[position] = (stored.registration, error)
        }
      }
      // What was delivered before and became somebody is over, even if the identity has left them since.
      let unknown = arrivals.indices.filter { !isKnown[$0] && unreadable[$0] == nil && !found.2.contains($0) }
        .map { arrivals[$0] }
      var writes = Pipeline()
      if !expired.isEmpty { writes.add(ChangeRegistration.dropExpired, (registrations: Array(expired), at: now)) }
      writes.append(try records(of: unknown, held, sealer))
      _ = try await OperationError.translating { () throws(PostgresError) in try await transaction.commit(writes) }
      return (arrivals.indices.filter { isKnown[$0] }.map { arrivals[$0] }, Array(unreadable.values))
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  private func records(
    of arrivals: [Arrival], _ held: [StoredKey: HeldRegistration], _ sealer: Sealer
  ) throws(OperationError) -> Pipeline {
    var latest: [StoredKey: (held: HeldRegistration, arrival: Arrival)] = [:]
    for arrival in arrivals {
      guard let brought = arrival.asHeld else { continue }
      let former = latest[arrival.key]?.held ?? held[arrival.key]
      latest[arrival.key] = (former?.adding(brought) ?? brought, arrival)
    }
    var inserted: [WriteRegistrations.Record] = []
    var resealed: [WriteRegistrations.Record] = []
    var renewed: [HeldRegistration] = []
    var events: [InsertEvents.Record] = []
    let now = circumstances.now()
    for (key, (registration, arrival)) in latest {
      var registration = registration
      guard let former = held[key] else {
        registration.version = 1
        inserted.append(try record(of: registration, arrival, sealer))
        let event = Event.registrationHeld(
          registration.registration, namespace: registration.claims.identity.namespace)
        events.append(
          InsertEvents.Record(
            id: circumstances.newID(at: now), event: event, at: now, caller: arrival.entry.caller))
        continue
      }
      if registration.claims != former.claims || registration.link != former.link {
        registration.version += 1
        resealed.append(try record(of: registration, arrival, sealer))
      } else if registration.saidAt != former.saidAt || registration.expiresAt != former.expiresAt {
        renewed.append(registration)
      }
    }
    var pipeline = Pipeline()
    if !inserted.isEmpty { pipeline.add(WriteRegistrations.insert, inserted) }
    if !resealed.isEmpty { pipeline.add(WriteRegistrations.reseal, resealed) }
    if !renewed.isEmpty { pipeline.add(WriteRegistrations.renew, renewed) }
    if !events.isEmpty { pipeline.add(InsertEvents.statement, events) }
    return pipeline
  }

  private func record(
    of held: HeldRegistration, _ arrival: Arrival, _ sealer: Sealer
  ) throws(OperationError) -> WriteRegistrations.Record {
    let sealed = try OperationError.translating(
      sealing: "registration \(held.registration)"
    ) { () throws(SealingError) in
      try sealer.seal(held.claims, of: held.registration, version: held.version)
    }
    return WriteRegistrations.Record(held, key: arrival.key, sealed: sealed, caller: arrival.entry.caller)
  }

  // MARK: People who have become users meanwhile

  /// How often it is looked again whom an address concerns, before the file waits for the next run.
  private static let attemptsMax = 5

  /// Fills the gaps of whom an identity belongs to: those of the profile, and the address if none is recorded of the
  /// identity, as if it signed in with it.
  ///
  /// - Parameter said: of this identity.
  /// - Returns: false if it is nobody's any more.
  private func fill(
    _ key: StoredKey, from said: [Arrival], _ sealer: Sealer, _ trustsEmail: (Namespace) -> Bool
  ) async throws(OperationError) -> Bool {
    let said = said.sorted { $0.entry.receivedAt < $1.entry.receivedAt }
    guard let last = said.last else { return true }
    let claims = said.dropLast().reversed().reduce(last.claims) { later, earlier in later.resuming(earlier.claims) }
    let job = Self.signIn(last.entry, claims, key, trustsEmail: trustsEmail(claims.identity.namespace))
    for _ in 0..<Self.attemptsMax {
      let transaction = try await OperationError.translating { () throws(PostgresError) in try await writes.begin() }
      do throws(OperationError) {
        if let isKnown = try await fill(job, from: claims, sealer, in: transaction) { return isKnown }
        await transaction.rollback()
      } catch {
        await transaction.rollback()
        throw error
      }
    }
    throw .databaseUnavailable(.unavailable("whom an address concerns is moved again and again"))
  }

  /// A sign-in with what was said, for which nobody waits.
  private static func signIn(
    _ entry: SpoolEntry, _ claims: Claims, _ key: StoredKey, trustsEmail: Bool
  ) -> SignInJob {
    let request = SignInRequest(
      claims: claims, policy: SignInPolicy(register: .never, link: .never, trustsEmail: trustsEmail),
      challengeSeconds: 0, holdSeconds: 0, include: [], caller: entry.caller, requestKey: nil, asker: Nobody())
    return SignInJob(
      request, key: key, claims: claims, resuming: nil, newRegistration: entry.id, entry: nil
    ) { _ in }
  }

  /// - Returns: whether the identity is somebody's; nil if somebody whom the address concerns was moved meanwhile. Committed
  ///   unless it is nil.
  private func fill(
    _ job: SignInJob, from claims: Claims, _ sealer: Sealer, in transaction: Transaction
  ) async throws(OperationError) -> Bool? {
    let situations = try await OperationError.translating { () throws(PostgresError) in
      try await SignInSituation.load(for: [job], sealer: sealer, in: transaction)
    }
    guard case .open(let situation)? = situations?.first else { return nil }
    guard let known = situation.facts.identity, let found = situation.identity else {
      _ = try await OperationError.translating { () throws(PostgresError) in try await transaction.commit(Pipeline()) }
      return false
    }
    var records = SignInRecords(sealer: sealer, circumstances: circumstances)
    let isAddressDue =
      claims.email != nil
      && (known.email == nil || known.email == addresses.withLock { $0[job.key] })
    // A disabled user gets no address, as when they sign in.
    if isAddressDue, let decision = try? SignInDecision(claims, facts: situation.facts, policy: job.request.policy) {
      _ = try records.add(decision, for: job, found: found)
    }
    let stored = try await OperationError.translating { () throws(PostgresError) in
      var pipeline = Pipeline()
      let user = pipeline.add(GetUser.statement, known.user)
      return try await transaction.run(pipeline).first(of: user)
    }
    var changes = records.pipeline
    if let stored {
      let profile = stored.profile.filled(from: claims.profile)
      if profile != stored.profile { add(profile, of: stored.user, to: &changes) }
    }
    _ = try await OperationError.translating { () throws(PostgresError) in try await transaction.commit(changes) }
    if !records.isEmpty { addresses.withLock { $0[job.key] = claims.email } }
    return true
  }

  private func add(_ profile: Profile, of user: UserID, to pipeline: inout Pipeline) {
    let now = circumstances.now()
    pipeline.add(UpdateProfiles.statement, [UpdateProfiles.Record(user: user, profile: profile, at: now)])
    pipeline.add(
      InsertEvents.statement,
      [InsertEvents.Record(id: circumstances.newID(at: now), event: .userUpdated(user), at: now, caller: nil)])
  }
}

/// Waits for nothing: what is kept was answered long ago.
private final class Nobody: SignInAsker {
  func encoded(_ result: SignInResult) -> [UInt8] { [] }
  func signInEnded(_ outcome: Result<Answer<SignInResult>, OperationError>) {}
}

extension OperationError {
  /// Whether the same may succeed when the database is well again.
  fileprivate var passesWithTime: Bool {
    switch self {
    case .databaseUnavailable, .storageFull: true
    case .refused, .proofRejected, .tokenRefused, .linkedElsewhere, .unknownOwner, .mergeRefused, .eventsGone,
      .unknownCursor, .tooManyConsumers,
      .unexpected, .sealing:
      false
    }
  }
}
