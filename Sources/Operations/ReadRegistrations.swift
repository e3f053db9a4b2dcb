import Accounts
import Postgres
import Store
import Vault

/// Looks at registrations that are held.
public struct ReadRegistrations: Sendable {
  /// One that is held, as far as it can be read.
  public struct Item: Sendable {
    public let stored: StoredRegistration
    public let details: Result<HeldRegistration, SealingError>
  }

  /// One part of a list.
  public struct Found: Sendable {
    public let page: ListPage<Item>
    /// Those that were found by an address that does not stand in their details, for somebody changed what they are found
    /// by. They are in no list, and are to be told in the journal.
    public let misplaced: [RegistrationID]
  }

  private let reads: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(reads: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.reads = reads
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// One that is held.
  ///
  /// - Parameter mayUse: whether the caller may use the namespace of this number; what it may not use is as if it were not.
  /// - Throws: `not_found`, or `sealing`.
  public func get(
    _ registration: RegistrationID, mayUse: (Int32) -> Bool
  ) async throws(OperationError) -> HeldRegistration {
    let stored = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(FindRegistrations.byID, registration).first
    }.orNotFound()
    guard mayUse(stored.namespace), stored.user == nil, !stored.isExpired(at: circumstances.now()) else {
      throw .refused(.notFound)
    }
    return try stored.held(by: sealer).orNotFound()
  }

  /// Those that are held, the oldest first. One that cannot be opened is listed all the same.
  ///
  /// - Parameters:
  ///   - namespaces: the numbers of those that the caller may use.
  ///   - email: only those in whose details it stands.
  public func list(
    in namespaces: [Int32], email: EmailAddress?, page: PageRequest<RegistrationID>
  ) async throws(OperationError) -> Found {
    let sealer = try sealer.known()
    let indexes = try email.map { email throws(OperationError) in
      try OperationError.translating(sealing: "the index of addresses") { () throws(SealingError) in
        try sealer.emailIndexes(of: email)
      }
    }
    let wanted = ListRegistrations.Page(
      namespaces: namespaces, emailIndexes: indexes, now: circumstances.now(), after: page.after,
      limit: page.probeLimit)
    let statement = indexes == nil ? ListRegistrations.statement : ListRegistrations.byEmail
    let found = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(statement, wanted)
    }
    let items = found.map { stored in Item(stored: stored, details: stored.details(by: sealer)) }
    let listed = ListPage(items, page) { $0.stored.registration.place }
    let misplaced = listed.items.filter { $0.isMisplaced(under: email) }
    return Found(
      page: listed.map { items in items.filter { !$0.isMisplaced(under: email) } },
      misplaced: misplaced.map(\.stored.registration))
  }
}

extension ReadRegistrations.Item {
  /// Whether its details open and hold another address than the one that it was asked for by.
  fileprivate func isMisplaced(under email: EmailAddress?) -> Bool {
    guard let email, case .success(let held) = details else { return false }
    return held.claims.email?.address.canonical != email.canonical
  }
}

extension StoredRegistration {
  fileprivate func details(by sealer: Sealer) -> Result<HeldRegistration, SealingError> {
    do throws(SealingError) {
      guard let held = try opened(by: sealer) else { return .failure(.invalid) }
      return .success(held)
    } catch {
      return .failure(error)
    }
  }
}

extension RegistrationID: ListKey {}
