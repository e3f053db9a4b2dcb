import Accounts
import Crypto
import EventLoop
import Postgres
import Store
import Vault

/// Gives up what is sealed by keys that are lost for good, so that a daemon starts with another keyset. Users and identities
/// are not sealed and stay.
///
/// It is for an administrator, past the daemons: none may serve the database meanwhile, for one that still had the lost keys
/// in memory would go on sealing with them.
public struct GiveUpKeys: Sendable {
  /// What cannot be opened any more.
  public struct Loss: Hashable, Sendable {
    public let databaseID: UniqueID
    /// The keys that sealed it, which the keyset does not have, by their ids.
    public let keys: [ExactText]
    public internal(set) var records: [SealedKind: Int] = [:]
  }

  public enum Problem: Error, Sendable {
    case schemaMismatch(found: Int?)
    /// Daemons still serve the database.
    case served
    /// A key of the keyset is another than the database knows by this id, so what it sealed is lost and looks as if it were
    /// not.
    case changedKey(KeyID)
    case keyset(SealingError)
    case database(PostgresError)
  }

  /// The connections of a daemon that has just ended are soon gone.
  private static let daemonPause: (milliseconds: UInt64, times: Int) = (100, 20)

  private let pool: Pool
  private let keyset: Keyset
  private let schemaVersion: Int

  private init(_ pool: Pool, _ keyset: Keyset, schemaVersion: Int) {
    self.pool = pool
    self.keyset = keyset
    self.schemaVersion = schemaVersion
  }

  /// Connects for it.
  ///
  /// - Parameters:
  ///   - conninfo: of the owner or the daemon's own role, straight to PostgreSQL.
  ///   - keyset: the one that is to be used from now on; what its keys seal stays, those that it has retired included.
  ///   - schemaVersion: the one that this program knows.
  public static func open(
    conninfo: String, keyset: Keyset, schemaVersion: Int, on loop: EventLoop
  ) async throws(Problem) -> GiveUpKeys {
    try await withTaskExecutorPreference(loop) { () throws(Problem) in
      try await translating { () throws(PostgresError) in
        let settings = try ConnectionSettings(
          conninfo: conninfo, applicationName: "kith key give-up", limits: .ofMaintenance, needsWrites: true)
        let pool = Pool(settings, size: 1, on: loop)
        pool.start()
        do throws(PostgresError) {
          try await pool.waitUntilOpen()
        } catch {
          pool.close()
          throw error
        }
        return GiveUpKeys(pool, keyset, schemaVersion: schemaVersion)
      }
    }
  }

  /// Closes the connection.
  public func close() async {
    await withTaskExecutorPreference(pool.loop) { pool.close() }
  }

  /// Counts what would go, and changes nothing.
  public func look() async throws(Problem) -> Loss {
    try await withTaskExecutorPreference(pool.loop) { () throws(Problem) in
      let (version, databaseID) = try await identity()
      guard version == schemaVersion else { throw .schemaMismatch(found: version) }
      try await expectNoDaemons()
      try await expectSameKeys(databaseID)
      let counts = try await Self.translating { () throws(PostgresError) in
        try await pool.rows(KeysInUse.count, ())
      }
      let absent = counts.filter { count in !keyset.keys.contains { $0.id.text == count.key.id } }
      var loss = Loss(databaseID: databaseID, keys: Set(absent.map(\.key.id)).sorted())
      for count in absent { loss.records[count.key.kind, default: 0] += count.records }
      return loss
    }
  }

  /// Removes it, in one transaction.
  ///
  /// - Parameters:
  ///   - peerUID: the user who asks, for the audit.
  ///   - spooledKeys: lost keys that seal what is removed from a spool, told in the audit as well.
  /// - Returns: what went.
  public func run(
    _ loss: Loss, peerUID: UInt32, reason: ChangeReason, spooledKeys: Set<KeyID>
  ) async throws(Problem) -> Loss {
    try await withTaskExecutorPreference(pool.loop) { () throws(Problem) in
      try await expectNoDaemons()
      let record = AppendAudit.Record(
        caller: .commandLine, peerUID: peerUID, action: "key.give_up", user: nil, reason: reason,
        givenUp: Set(loss.keys).union(spooledKeys.map(\.text)).sorted())
      return try await Self.translating { () throws(PostgresError) in
        let transaction = try await pool.begin()
        do throws(PostgresError) {
          return try await remove(loss, record, transaction)
        } catch {
          await transaction.rollback()
          throw error
        }
      }
    }
  }

  private func remove(
    _ loss: Loss, _ record: AppendAudit.Record, _ transaction: Transaction
  ) async throws(PostgresError) -> Loss {
    var pipeline = Pipeline()
    pipeline.add(GiveUpSealed.lock, ())
    let wish = GiveUpSealed.Wish(keys: loss.keys, caller: record.caller)
    let slots = SealedKind.allCases.map { ($0, pipeline.add(GiveUpSealed.statement($0), wish)) }
    pipeline.add(AppendAudit.statement, record)
    let results = try await transaction.commit(pipeline)
    var gone = loss
    for (kind, slot) in slots { gone.records[kind] = try results.affectedCount(of: slot) }
    return gone
  }

  private func identity() async throws(Problem) -> (schemaVersion: Int?, id: UniqueID) {
    try await Self.translating { () throws(PostgresError) in
      // By itself, because a database without the schema has no id to tell.
      let version = try await pool.rows(SchemaVersion.statement, ()).first ?? nil
      guard let id = try await pool.rows(DatabaseIdentity.statement, ()).first else {
        throw .unexpectedAnswer("the database has no id")
      }
      return (version, id)
    }
  }

  private func expectNoDaemons() async throws(Problem) {
    for _ in 0..<Self.daemonPause.times {
      let connections = try await Self.translating { () throws(PostgresError) in
        try await pool.rows(GiveUpSealed.daemons, ()).first ?? 0
      }
      if connections == 0 { return }
      await pool.loop.pause(milliseconds: Self.daemonPause.milliseconds)
    }
    throw .served
  }

  private func expectSameKeys(_ databaseID: UniqueID) async throws(Problem) {
    let codes: [BlindIndex]
    do throws(SealingError) {
      codes = try KnownKeys.codes(of: try KeyRing(keyset, random: .system), databaseID: databaseID)
    } catch {
      throw .keyset(error)
    }
    let known = try await Self.translating { () throws(PostgresError) in
      try await pool.rows(KnownKeys.find, codes)
    }
    let changed = codes.first { code in
      known.contains { $0.id == code.keyID.text && !ConstantTime.areEqual($0.code, code.code) }
    }
    if let changed { throw .changedKey(changed.keyID) }
  }

  private static func translating<Value>(
    _ body: () async throws(PostgresError) -> Value
  ) async throws(Problem) -> Value {
    do throws(PostgresError) {
      return try await body()
    } catch {
      throw .database(error)
    }
  }
}
