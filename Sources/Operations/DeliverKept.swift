import Accounts
import EventLoop
import Postgres
import Spool
import Store
import Vault

/// Brings what the spool keeps into the database: details become held registrations, or fill the gaps of whom their
/// identity belongs to by now.
///
/// What is delivered twice changes nothing the second time: an entry bears the id of the registration that it becomes, and
/// whoever is a user already has no gap that it fills.
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
  public func runOnce() async -> Outcome {
    var outcome = Outcome()
    guard let sealer = sealer.current else { return outcome }
    while let file = details.spool.takeOldest(for: sealer.databaseID) {
      switch await deliver(file, sealer, &outcome) {
      case .done: continue
      // Or else it would keep back all after it, and everybody who waits for them.
      case .undeliverable: details.spool.leave(file)
      case .later:
        details.spool.giveBack(file)
        return outcome
      }
    }
    return outcome
  }

  private enum Ending {
    case done
    /// It fails though the database is there.
    case undeliverable
    case later
  }

  private func deliver(_ file: SpoolFile, _ sealer: Sealer, _ outcome: inout Outcome) async -> Ending {
    do throws(SpoolError) {
      var contents = try await details.spool.contents(of: file, by: sealer, now: circumstances.now(), on: writes.loop)
      do throws(OperationError) {
        let unreadable = contents.entries.isEmpty ? [] : try await deliver(contents.entries, sealer)
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
  private func deliver(_ entries: [SpoolEntry], _ sealer: Sealer) async throws(OperationError) -> [Unreadable] {
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
    let (known, unreadable) = try await hold(arrivals, sealer)
    for (user, claims) in known { try await fill(user, from: claims) }
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
  }

  // MARK: People who are not users

  /// Holds the details of those whom nobody knows, in one transaction.
  ///
  /// - Returns: the others, with whose their identity is, and those that are held already in what cannot be opened.
  private func hold(
    _ arrivals: [Arrival], _ sealer: Sealer
  ) async throws(OperationError) -> (known: [(user: UserID, claims: Claims)], unreadable: [Unreadable]) {
    let transaction = try await OperationError.translating { () throws(PostgresError) in try await writes.begin() }
    do throws(OperationError) {
      var pipeline = Pipeline()
      let keys = arrivals.map(\.key)
      pipeline.add(AdvisoryLock.acquire, Set(keys).map { .identity($0) }.sorted())
      let identities = pipeline.add(FindIdentities.statement, keys)
      let registrations = pipeline.add(FindRegistrations.lockingByKey, keys)
      let found = try await OperationError.translating { () throws(PostgresError) in
        let results = try await transaction.run(pipeline)
        return (try results.rows(of: identities), try results.rows(of: registrations))
      }
      var users = [UserID?](repeating: nil, count: arrivals.count)
      for row in found.0 { users[row.position] = row.found.user }
      var held: [StoredKey: HeldRegistration] = [:]
      var unreadable: [Int: Unreadable] = [:]
      for (position, stored) in found.1 where users[position] == nil {
        do throws(SealingError) {
          held[keys[position]] = try stored.opened(by: sealer)
        } catch {
          guard error.isOfRecord else { throw .sealing(error, record: "registration \(stored.registration)") }
          unreadable[position] = (stored.registration, error)
        }
      }
      let unknown = arrivals.indices.filter { users[$0] == nil && unreadable[$0] == nil }.map { arrivals[$0] }
      let writes = try records(of: unknown, held, sealer)
      _ = try await OperationError.translating { () throws(PostgresError) in try await transaction.commit(writes) }
      let known = arrivals.indices.compactMap { position in
        users[position].map { (user: $0, claims: arrivals[position].claims) }
      }
      return (known, Array(unreadable.values))
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  private func records(
    of arrivals: [Arrival], _ held: [StoredKey: HeldRegistration], _ sealer: Sealer
  ) throws(OperationError) -> Pipeline {
    var held = held
    var changed: [StoredKey: (isNew: Bool, arrival: Arrival)] = [:]
    for arrival in arrivals {
      guard let link = SignInPolicy.Link(rawValue: arrival.entry.link.string) else { continue }
      let former = held[arrival.key]
      guard former?.registration != arrival.entry.id else { continue }
      // Whatever is said makes what is held last longer, so this tells what was said later; that goes before the other.
      let isLater = former.map { $0.expiresAt <= arrival.entry.expiresAt } ?? true
      let claims =
        former.map { isLater ? $0.resumed(by: arrival.claims) : $0.completed(by: arrival.claims) } ?? arrival.claims
      let linkNow = isLater ? link : former?.link ?? link
      // Delivered before, or a repeat that says nothing new.
      guard claims != former?.claims || linkNow != former?.link else { continue }
      let isNew = changed[arrival.key]?.isNew ?? (former == nil)
      held[arrival.key] = HeldRegistration(
        registration: former?.registration ?? arrival.entry.id,
        version: changed[arrival.key] == nil ? (former?.version ?? 0) + 1 : former?.version ?? 1,
        claims: claims, link: linkNow, attempts: former?.attempts ?? 0, lastReason: former?.lastReason,
        heldAt: former?.heldAt ?? arrival.entry.receivedAt,
        expiresAt: max(former?.expiresAt ?? arrival.entry.expiresAt, arrival.entry.expiresAt))
      changed[arrival.key] = (isNew, arrival)
    }
    var inserted: [WriteRegistrations.Record] = []
    var resealed: [WriteRegistrations.Record] = []
    var events: [InsertEvents.Record] = []
    let now = circumstances.now()
    for (key, change) in changed {
      guard let registration = held[key] else { continue }
      let record = try record(of: registration, change.arrival, sealer)
      guard change.isNew else {
        resealed.append(record)
        continue
      }
      inserted.append(record)
      let event = Event.registrationHeld(
        registration.registration, namespace: registration.claims.identity.namespace)
      events.append(
        InsertEvents.Record(id: circumstances.newID(at: now), event: event, at: now, caller: record.caller))
    }
    var pipeline = Pipeline()
    if !inserted.isEmpty { pipeline.add(WriteRegistrations.insert, inserted) }
    if !resealed.isEmpty { pipeline.add(WriteRegistrations.reseal, resealed) }
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
    return WriteRegistrations.Record(
      registration: held.registration, key: arrival.key, version: held.version, sealed: sealed, link: held.link,
      caller: arrival.entry.caller, heldAt: held.heldAt, expiresAt: held.expiresAt)
  }

  // MARK: People who have become users meanwhile

  /// Fills the gaps of a user's profile.
  private func fill(_ user: UserID, from claims: Claims) async throws(OperationError) {
    guard !claims.profile.isEmpty else { return }
    let transaction = try await OperationError.translating { () throws(PostgresError) in try await writes.begin() }
    do throws(OperationError) {
      try await OperationError.translating { () throws(PostgresError) in
        var pipeline = Pipeline()
        let reading = LockUser.add(LockUser.Question(user: user, gate: nil), to: &pipeline)
        let stored = try reading(try await transaction.run(pipeline)).first { $0.survivor == nil }
        var changes = Pipeline()
        if let stored, stored.status != .erased {
          let profile = stored.profile.filled(from: claims.profile)
          if profile != stored.profile { add(profile, of: stored.user, to: &changes) }
        }
        _ = try await transaction.commit(changes)
      }
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  private func add(_ profile: Profile, of user: UserID, to pipeline: inout Pipeline) {
    let now = circumstances.now()
    pipeline.add(UpdateProfiles.statement, [UpdateProfiles.Record(user: user, profile: profile, at: now)])
    pipeline.add(
      InsertEvents.statement,
      [InsertEvents.Record(id: circumstances.newID(at: now), event: .userUpdated(user), at: now, caller: nil)])
  }
}

extension OperationError {
  /// Whether the same may succeed when the database is well again.
  fileprivate var passesWithTime: Bool {
    switch self {
    case .databaseUnavailable, .storageFull: true
    case .refused, .unknownOwner, .eventsGone, .unknownCursor, .tooManyConsumers, .unexpected, .sealing: false
    }
  }
}
