import Accounts
import Crypto
import Postgres
import Store
import Vault

/// Keeps credentials, changes and deletes them.
///
/// Every change is a new version, for which the secret is sealed anew, and leaves a row in the history; so versions have no gap
/// and the newest is known.
public struct ChangeCredential: Sendable {
  /// What is to become of a place.
  public enum Change: Sendable {
    /// A new credential; `credential_exists` where there is one.
    case add(CredentialContent)
    /// The whole content, whether there is a credential or not.
    case put(CredentialContent)
    /// What is given replaces what there is, what is named is removed, the rest stays; `not_found` where there is none.
    case update(CredentialContent, clearing: Set<CredentialPart>)
  }

  private let writes: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(writes: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.writes = writes
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// The credential as it is from now on. One that has expired counts as gone: what takes its place is another.
  ///
  /// - Throws: `credential_exists`, `not_found`, `request_key_reused`, `in_progress`, or `.unknownOwner`.
  public func change(
    _ place: CredentialPlace, _ change: Change, call: ChangeCall<CredentialRecord>
  ) async throws(OperationError) -> Answer<CredentialRecord> {
    let lock = LockedCredential.lock(place, user: change.content.user)
    return try await KeyedChange(
      call: call, pool: writes, circumstances: circumstances,
      concern: { KeptAnswers.Concern(user: $0.user, about: .credential(place)) }, lock: lock
    ) { locked, moment throws(OperationError) in
      let present = locked.present(at: moment.at)
      switch change {
      case .add where present != nil: throw .refused(.credentialExists)
      case .update where present == nil: throw .refused(.notFound)
      case .add, .put, .update: break
      }
      let owner: UserID?
      switch try locked.owner(change.content.user) {
      case .nobody: owner = nil
      case .user(let user): owner = user
      case .merging: return .lookAgain
      }
      let sealer = try sealer.known()
      let written: WriteCredential.Input
      if let present {
        written = try present.changed(by: change, owner: owner, at: moment.at, sealer: sealer)
      } else {
        let id = circumstances.newID(CredentialID.self, at: moment.at)
        written = try CredentialRecord(id, at: place, change.content, owner: owner, moment.at)
          .seal(try change.content.requiredSecret, with: sealer)
      }
      var pipeline = Pipeline()
      if present == nil, let expired = locked.stored {
        pipeline.add(WriteCredential.delete, expired.record.id)
        pipeline.add(CredentialVersions.append, entry(.expire, of: expired, at: moment.at, caller: nil))
      }
      pipeline.add(present == nil ? WriteCredential.insert : WriteCredential.update, written)
      let entry = CredentialVersions.Entry(
        credential: written.record.id, version: written.record.version, place: place,
        user: written.record.user, action: present == nil ? .add : .update, at: moment.at, caller: call.caller,
        changeID: newChangeID())
      pipeline.add(CredentialVersions.append, entry)
      return .changed(written.record, pipeline, .credential(entry))
    }.run()
  }

  /// Deletes a credential, without opening it.
  ///
  /// - Parameter reason: goes into the audit; nil for an app that does what it always does, of which the history tells.
  /// - Throws: `not_found`, `request_key_reused`, or `in_progress`.
  public func delete(
    _ place: CredentialPlace, reason: ChangeReason?, call: ChangeCall<Void>
  ) async throws(OperationError) -> Answer<Void> {
    let lock = LockedCredential.lock(place, user: nil)
    return try await KeyedChange(call: call, pool: writes, circumstances: circumstances, lock: lock) {
      locked, moment throws(OperationError) in
      guard let present = locked.present(at: moment.at) else { throw .refused(.notFound) }
      var pipeline = Pipeline()
      pipeline.add(WriteCredential.delete, present.record.id)
      let entry = entry(.delete, of: present, at: moment.at, caller: call.caller)
      pipeline.add(CredentialVersions.append, entry)
      if let reason {
        let audit = AppendAudit.Record(
          caller: call.caller, peerUID: call.peerUID, action: "credential.delete", user: present.record.user,
          reason: reason, credential: present.record.id)
        pipeline.add(AppendAudit.statement, audit)
      }
      return .changed((), pipeline, .credential(entry))
    }.run()
  }

  /// What tells of a credential's end.
  private func entry(
    _ action: CredentialAction, of stored: StoredCredential, at: Timestamp, caller: CallerName?
  ) -> CredentialVersions.Entry {
    CredentialVersions.Entry(
      credential: stored.record.id, version: stored.nextVersion, place: stored.record.place, user: stored.record.user,
      action: action, at: at, caller: caller, changeID: newChangeID())
  }

  private func newChangeID() -> UniqueID {
    let (high, low) = circumstances.random()
    return UniqueID(high: high, low: low)
  }
}

/// What is found at a place once it is locked.
private struct LockedCredential {
  /// To whom a credential is to belong.
  enum Owner {
    case nobody
    case user(UserID)
    /// They were merged just now.
    case merging
  }

  /// Also one that has expired.
  let stored: StoredCredential?
  let users: [StoredUser]

  static func lock(_ place: CredentialPlace, user: UserID?) -> ChangeLock<LockedCredential> {
    ChangeLock { pipeline, gate in
      pipeline.add(LockCredential.place, LockCredential.Question(place: place, gate: gate))
      // The user first: who erases them has them locked, and then waits for the rows of their credentials.
      let users = user.map { pipeline.add(KeepUser.statement, LockUser.Question(user: $0, gate: gate)) }
      let row = pipeline.add(LockCredential.row, LockCredential.Question(place: place, gate: gate))
      return { results throws(PostgresError) in
        LockedCredential(
          stored: try results.first(of: row),
          users: try users.map { users throws(PostgresError) in try results.rows(of: users) } ?? [])
      }
    }
  }

  func present(at now: Timestamp) -> StoredCredential? {
    stored.flatMap { $0.record.isExpired(at: now) ? nil : $0 }
  }

  /// - Throws: `.unknownOwner`.
  func owner(_ id: UserID?) throws(OperationError) -> Owner {
    guard let id else { return .nobody }
    do throws(OperationError) {
      return try users.user(of: id).map { .user($0.user) } ?? .merging
    } catch {
      if case .refused = error { throw .unknownOwner }
      throw error
    }
  }
}

extension ChangeCredential.Change {
  fileprivate var content: CredentialContent {
    switch self {
    case .add(let content), .put(let content), .update(let content, _): content
    }
  }
}

extension CredentialContent {
  fileprivate var requiredSecret: SecretBytes {
    get throws(OperationError) {
      guard let secret else { throw .unexpected(.unexpectedAnswer("a credential without a secret was to be added")) }
      return secret
    }
  }
}

extension StoredCredential {
  /// Beyond what the history tells as well, so that a row that was put back does not stand in the way.
  var nextVersion: Int64 { max(record.version, newestVersion ?? 0) + 1 }

  /// The next version, sealed. The former secret is opened only if it stays.
  fileprivate func changed(
    by change: ChangeCredential.Change, owner: UserID?, at: Timestamp, sealer: Sealer
  ) throws(OperationError) -> WriteCredential.Input {
    let content = change.content
    var former: CredentialRecord?
    var cleared: Set<CredentialPart> = []
    if case .update(_, let clearing) = change {
      former = record
      cleared = clearing
    }
    let next = CredentialRecord(
      id: record.id, place: record.place,
      label: content.label ?? (cleared.contains(.label) ? nil : former?.label),
      user: owner ?? (cleared.contains(.user) ? nil : former?.user),
      attributes: content.attributes ?? (cleared.contains(.attributes) ? nil : former?.attributes),
      version: nextVersion, createdAt: record.createdAt, updatedAt: at,
      expiresAt: content.expiresAt ?? (cleared.contains(.expiresAt) ? nil : former?.expiresAt))
    let secret = if let given = content.secret { given } else { try open(with: sealer) }
    return try next.seal(secret, with: sealer)
  }
}

extension CredentialRecord {
  /// The first version.
  fileprivate init(
    _ id: CredentialID, at place: CredentialPlace, _ content: CredentialContent, owner: UserID?, _ at: Timestamp
  ) {
    self.init(
      id: id, place: place, label: content.label, user: owner, attributes: content.attributes, version: 1,
      createdAt: at, updatedAt: at, expiresAt: content.expiresAt)
  }
}
