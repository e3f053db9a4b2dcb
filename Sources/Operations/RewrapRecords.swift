import Accounts
import Crypto
import Postgres
import Store
import Vault

/// Wraps what former keys seal anew under the primary key, batch by batch. Any number may do so at once, and one that was
/// cut short is gone on with by beginning again.
public struct RewrapRecords: Sendable {
  /// What became of one batch.
  public struct Outcome: Sendable {
    public var rewrapped = 0
    /// Those that could not be, and why; the others do not mind.
    public var failures: [(place: SealedPlace, error: SealingError)] = []
    /// How many are left, those that fail included; counted up to ``RewrapRecords/remainingMax``.
    public var remaining = 0
    /// Where to go on; nil at the end.
    public var next: SealedPlace?
  }

  /// Counting goes through an index entry by entry.
  public static let remainingMax = 10_000
  /// What is read and written in one batch; it is held in memory a few times over.
  private static let bytesMax: Int64 = 4 << 20
  /// So many take some 0.3 ms, for which other calls wait.
  private static let rowsWithoutPause = 32

  private let writes: Pool
  private let sealer: SharedSealer

  public init(writes: Pool, sealer: SharedSealer) {
    self.writes = writes
    self.sealer = sealer
  }

  public func run(_ request: PageRequest<SealedPlace>) async throws(OperationError) -> Outcome {
    let sealer = try sealer.known()
    return try await OperationError.translating { () throws(PostgresError) in
      let transaction = try await writes.begin()
      do throws(PostgresError) {
        return try await run(request, sealer, transaction)
      } catch {
        await transaction.rollback()
        throw error
      }
    }
  }

  private func run(
    _ request: PageRequest<SealedPlace>, _ sealer: Sealer, _ transaction: Transaction
  ) async throws(PostgresError) -> Outcome {
    var outcome = Outcome()
    var pipeline = Pipeline()
    if let (key, rows) = try await lock(request, sealer, transaction) {
      var rewrapped: [WriteRewrapped.Row] = []
      for (position, row) in rows.enumerated() {
        if position % Self.rowsWithoutPause == Self.rowsWithoutPause - 1 { await Task.yield() }
        do throws(SealingError) {
          rewrapped.append(try Self.rewrap(row, sealer))
        } catch {
          outcome.failures.append((row.place, error))
        }
      }
      if !rewrapped.isEmpty {
        pipeline.add(
          WriteRewrapped.statement(key.kind),
          WriteRewrapped(formerKey: key.id, key: sealer.keyRing.primaryID, rows: rewrapped))
      }
      outcome.rewrapped = rewrapped.count
      outcome.next = rows.last?.place
    }
    let remaining = pipeline.add(
      KeysInUse.countOthers, (key: sealer.keyRing.primaryID.text, max: Int64(Self.remainingMax)))
    // A commit in doubt needs no finding out: what is wrapped anew already is not found again.
    let results = try await transaction.commit(pipeline, changes: false)
    outcome.remaining = try results.first(of: remaining) ?? 0
    return outcome
  }

  /// The next rows that a former key seals; nil when there are none from the place on.
  private func lock(
    _ request: PageRequest<SealedPlace>, _ sealer: Sealer, _ transaction: Transaction
  ) async throws(PostgresError) -> (key: KeysInUse.Key, rows: [SealedRow])? {
    let primary = sealer.keyRing.primaryID.text
    var find = Pipeline()
    let slot = find.add(KeysInUse.find, ())
    let keys = try await transaction.run(find).rows(of: slot)
    for key in keys where key.id != primary && !request.isPast(key) {
      var pipeline = Pipeline()
      let after = request.after.flatMap { $0.kind == key.kind && $0.key == key.id ? $0.id : nil }
      let slot = pipeline.add(
        LockSealedRows.statement(key.kind),
        LockSealedRows(key: key.id, after: after, rowsMax: Int32(request.limit), bytesMax: Self.bytesMax))
      let rows = try await transaction.run(pipeline).rows(of: slot)
      if !rows.isEmpty { return (key, rows) }
    }
    return nil
  }

  private static func rewrap(_ row: SealedRow, _ sealer: Sealer) throws(SealingError) -> WriteRewrapped.Row {
    let context = row.context(databaseID: sealer.databaseID)
    let former = try SealedRecord(row.sealed)
    let index: BlindIndex? =
      row.hasEmailIndex ? try sealer.emailIndex(inDetails: try sealer.keyRing.open(former, in: context)) : nil
    return WriteRewrapped.Row(
      id: row.place.id, record: try sealer.keyRing.rewrap(former, in: context), emailIndex: index)
  }
}

extension PageRequest where Key == SealedPlace {
  /// Whether every row of a key comes before the place to go on from.
  fileprivate func isPast(_ key: KeysInUse.Key) -> Bool {
    guard let after else { return false }
    let kinds = SealedKind.allCases
    guard let kind = kinds.firstIndex(of: key.kind), let place = kinds.firstIndex(of: after.kind) else { return false }
    return (kind, key.id) < (place, after.key)
  }
}

extension SealedPlace: ListKey {
  /// The letter of the kind, the id, and the key, which may hold anything.
  public init?(place: ExactText) {
    let parts = place.string.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3,
      let kind = SealedKind.allCases.first(where: { $0.rawValue.utf8.elementsEqual(parts[0].utf8) }),
      let id = UniqueID(parts[1])
    else { return nil }
    self.init(kind: kind, key: ExactText(parts[2]), id: id)
  }

  public var place: ExactText { ExactText("\(kind.rawValue).\(id).\(key)") }
}

extension SealedPlace: CustomStringConvertible {
  /// As the journal names a record.
  public var description: String {
    switch kind {
    case .registration: "registration \(id)"
    case .credential: "credential \(id)"
    case .keptAnswer: "kept answer \(id)"
    }
  }
}
