import Accounts
import Crypto
import Postgres
import Store
import Vault

/// Seals credentials anew for another user, batch by batch, in a transaction that holds their places.
struct CredentialMove {
  /// Each of them takes a lock of PostgreSQL's for as long as the transaction runs, and those are not many.
  static let credentialsMax = 1000
  /// What is read and sealed at once; it is held in memory a few times over.
  private static let bytesMax: Int64 = 4 << 20
  /// So many take less than a millisecond, for which other calls wait.
  private static let credentialsWithoutPause = 32

  struct Outcome {
    var moved: [CredentialID] = []
    /// Those that do not open stay whose they are.
    var left: [CredentialID] = []
  }

  let credentials: [CredentialID]
  let user: UserID
  let at: Timestamp
  let caller: CallerName
  let sealer: Sealer
  let circumstances: Circumstances

  func run(in transaction: Transaction) async throws(PostgresError) -> Outcome {
    var outcome = Outcome()
    var rest = credentials.sorted()[...]
    var writes = Pipeline()
    while !rest.isEmpty {
      let batch = MoveCredentials.Batch(
        ids: Array(rest.prefix(Self.credentialsWithoutPause)), bytesMax: Self.bytesMax)
      let slot = writes.add(MoveCredentials.read, batch)
      let found = try await transaction.run(writes).rows(of: slot)
      writes = Pipeline()
      for stored in found {
        if let pair = resealed(stored) {
          writes.add(WriteCredential.update, pair.written)
          writes.add(CredentialVersions.append, pair.entry)
          outcome.moved.append(stored.record.id)
        } else {
          outcome.left.append(stored.record.id)
        }
      }
      // What is not found any more has expired meanwhile.
      let last = found.last?.record.id ?? batch.ids.last
      rest = rest.drop { id in last.map { id <= $0 } ?? true }
      await Task.yield()
    }
    if !writes.isEmpty { _ = try await transaction.run(writes) }
    return outcome
  }

  /// The next version, of the other user; nil where it does not open.
  private func resealed(
    _ stored: StoredCredential
  ) -> (written: WriteCredential.Input, entry: CredentialVersions.Entry)? {
    let former = stored.record
    let next = CredentialRecord(
      id: former.id, place: former.place, label: former.label, user: user, attributes: former.attributes,
      version: stored.nextVersion, createdAt: former.createdAt, updatedAt: at, expiresAt: former.expiresAt)
    do throws(OperationError) {
      let written = try next.seal(try stored.open(with: sealer), with: sealer)
      let (high, low) = circumstances.random()
      let entry = CredentialVersions.Entry(
        credential: next.id, version: next.version, place: next.place, user: user, action: .update, at: at,
        caller: caller, changeID: UniqueID(high: high, low: low))
      return (written, entry)
    } catch {
      return nil
    }
  }
}
