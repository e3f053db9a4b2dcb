import Accounts
import Postgres
import Store
import Vault

/// What would happen if two users became one; nothing is changed by it, nor stored.
public struct MergePlan: Sendable {
  public let token: MergePlanToken
  /// How many of each would come to the survivor.
  public let counts: MergeCounts
  /// The first of what the absorbed user has.
  public let identities: [IdentityRecord]
  public let emails: [EmailRecord]
  public let credentials: [CredentialPlace]
  public let registrations: [RegistrationID]
  public let conflicts: [MergeConflict]
  /// Those of events that are not done with all about the two.
  public let consumers: [Consumers.Lag]
}

/// Plans merges.
public struct PlanMerge: Sendable {
  /// What a plan has about the absorbed user.
  private struct Slots {
    let digest: Pipeline.Slot<[UInt8]>
    let survivor: Pipeline.Slot<StoredUser>
    let absorbed: Pipeline.Slot<StoredUser>
    let counts: Pipeline.Slot<MergeCounts>
    let identities: Pipeline.Slot<IdentityRecord>
    let emails: Pipeline.Slot<EmailRecord>
    let shared: Pipeline.Slot<ExactText>
    let credentials: Pipeline.Slot<MoveCredentials.Found>
    let registrations: Pipeline.Slot<RegistrationID>
  }

  /// Somebody may be merged while we look; more often than this in so short a time they are not.
  private static let attemptsMax = 8
  private static let credentialsAtOnce = 32
  private static let bytesMax: Int64 = 4 << 20

  private let reads: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(reads: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.reads = reads
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// - Parameters:
  ///   - users: also former ids, which mean their survivors.
  ///   - survivor: one of the two; nil for the older one.
  ///   - mayRead: whose credentials are named; the others are only counted.
  /// - Throws: `not_found`, `user_erased`, or `.mergeRefused`.
  public func plan(
    _ users: (UserID, UserID), survivor: UserID?, mayRead groups: AccessGroups
  ) async throws(OperationError) -> MergePlan {
    for _ in 0..<Self.attemptsMax {
      let found = try await current([users.0, users.1] + (survivor.map { [$0] } ?? []))
      let (first, second) = (found[0], found[1])
      guard first != second else { throw .mergeRefused(.oneUser) }
      let chosen = found.count > 2 ? found[2] : min(first, second)
      guard chosen == first || chosen == second else { throw .mergeRefused(.survivorElsewhere) }
      if let plan = try await plan(chosen, absorbing: chosen == first ? second : first, groups) { return plan }
    }
    throw .databaseUnavailable(.unavailable("who is to be merged is moved again and again"))
  }

  /// Whom ids lead to, all at one moment.
  private func current(_ ids: [UserID]) async throws(OperationError) -> [UserID] {
    var pipeline = Pipeline.ofOneMoment
    let slots = ids.map { pipeline.add(GetUser.statement, $0) }
    let users = try await OperationError.translating { [pipeline] () throws(PostgresError) -> [StoredUser?] in
      let results = try await reads.run(pipeline)
      var users: [StoredUser?] = []
      for slot in slots { users.append(try results.first(of: slot)) }
      return users
    }
    var current: [UserID] = []
    for user in users {
      guard let user else { throw .refused(.notFound) }
      guard user.status != .erased else { throw .refused(.userErased) }
      current.append(user.survivor ?? user.user)
    }
    return current
  }

  /// Nil if either was merged meanwhile.
  private func plan(
    _ survivor: UserID, absorbing absorbed: UserID, _ groups: AccessGroups
  ) async throws(OperationError) -> MergePlan? {
    var pipeline = Pipeline()
    // First, so that what is read after it is not older: what changes in between makes the plan stale.
    let digest = pipeline.add(MergeDigest.statement, [survivor, absorbed])
    let limit = UserDetails.itemsMax
    let slots = Slots(
      digest: digest, survivor: pipeline.add(GetUser.statement, survivor),
      absorbed: pipeline.add(GetUser.statement, absorbed), counts: pipeline.add(MergeCounts.ofUser, absorbed),
      identities: pipeline.add(ListIdentities.statement, ListIdentities.Page(user: absorbed, limit: limit)),
      emails: pipeline.add(ListEmails.statement, ListEmails.Page(user: absorbed, limit: limit)),
      shared: pipeline.add(MergePlanParts.sharedEmails, (survivor, absorbed, limit)),
      credentials: pipeline.add(
        MoveCredentials.places, (.all(of: absorbed), Int32(CredentialMove.credentialsMax + 1))),
      registrations: pipeline.add(MergePlanParts.registrations, (absorbed, limit)))
    return try await plan(
      slots,
      from: OperationError.translating { [pipeline] () throws(PostgresError) in
        try await reads.run(pipeline)
      }, groups)
  }

  private func plan(
    _ slots: Slots, from results: PipelineResults, _ groups: AccessGroups
  ) async throws(OperationError) -> MergePlan? {
    func found<Value>(_ body: () throws(PostgresError) -> Value) throws(OperationError) -> Value {
      do throws(PostgresError) { return try body() } catch { throw OperationError(error) }
    }
    let survivor = try found { () throws(PostgresError) in try results.first(of: slots.survivor) }.orNotFound()
    let absorbed = try found { () throws(PostgresError) in try results.first(of: slots.absorbed) }.orNotFound()
    guard survivor.status != .merged, absorbed.status != .merged else { return nil }
    guard survivor.status != .erased, absorbed.status != .erased else { throw .refused(.userErased) }
    let credentials = try found { () throws(PostgresError) in try results.rows(of: slots.credentials) }
    guard credentials.count <= CredentialMove.credentialsMax else {
      throw .mergeRefused(.tooManyCredentials(max: CredentialMove.credentialsMax))
    }
    let unreadable = try await unreadable(among: credentials.map(\.id))
    let now = circumstances.now()
    let digest = try found { () throws(PostgresError) in try results.first(of: slots.digest) }.orNotFound()
    let shared = try found { () throws(PostgresError) in try results.rows(of: slots.shared) }
    let profiles = survivor.profile.contradictions(to: absorbed.profile).map { MergeConflict.profile($0) }
    let disabled = [survivor, absorbed].filter { $0.status == .disabled }.map { MergeConflict.disabled($0.user) }
    let consumers = try await ListConsumers(reads: reads).behind(about: [survivor.user, absorbed.user])
    return try found { () throws(PostgresError) in
      var counts =
        try results.first(of: slots.counts)
        ?? MergeCounts(identities: 0, emails: 0, credentials: 0, registrations: 0)
      counts.credentials -= Int32(unreadable.count)
      return MergePlan(
        token: MergePlanToken(
          survivor: survivor.user, absorbed: absorbed.user, digest: digest,
          expiresAt: now.advanced(bySeconds: MergePlanToken.minutes * 60), random: circumstances.random()),
        counts: counts, identities: try results.rows(of: slots.identities), emails: try results.rows(of: slots.emails),
        credentials: credentials.map(\.place).filter {
          groups.contains($0.accessGroup) && !unreadable.contains($0)
        },
        registrations: try results.rows(of: slots.registrations),
        conflicts: profiles + disabled + shared.map { .address($0) }
          + unreadable.filter { groups.contains($0.accessGroup) }.sorted().map { .credential($0) },
        consumers: consumers.filter { $0.behind > 0 })
    }
  }

  /// Which credentials do not open.
  private func unreadable(among credentials: [CredentialID]) async throws(OperationError) -> Set<CredentialPlace> {
    guard !credentials.isEmpty else { return [] }
    let sealer = try sealer.known()
    var places: Set<CredentialPlace> = []
    var rest = credentials.sorted()[...]
    while !rest.isEmpty {
      let batch = MoveCredentials.Batch(ids: Array(rest.prefix(Self.credentialsAtOnce)), bytesMax: Self.bytesMax)
      let found = try await OperationError.translating { () throws(PostgresError) in
        try await reads.rows(MoveCredentials.peek, batch)
      }
      places.formUnion(found.filter { !$0.opens(with: sealer) }.map(\.record.place))
      let last = found.last?.record.id ?? batch.ids.last
      rest = rest.drop { id in last.map { id <= $0 } ?? true }
      await Task.yield()
    }
    return places
  }
}

extension StoredCredential {
  fileprivate func opens(with sealer: Sealer) -> Bool {
    do throws(OperationError) {
      _ = try open(with: sealer)
      return true
    } catch {
      return false
    }
  }
}
