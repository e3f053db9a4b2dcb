import Accounts
import Postgres

/// Serialises what must not happen twice at once, across daemons, for things that may not exist yet and so have no row to
/// lock: an identity's key, an address, a request key, a credential's place.
///
/// The locks are PostgreSQL's advisory locks, held to the end of the transaction and named by a 64-bit hash. Two things of one
/// hash merely wait for each other.
public struct AdvisoryLock: Hashable, Comparable, Sendable {
  let name: Int64

  public static func identity(_ key: StoredKey) -> AdvisoryLock {
    AdvisoryLock(kind: 1, [key.subject], salt: UInt64(UInt32(bitPattern: key.namespace)))
  }

  public static func address(_ canonical: ExactText) -> AdvisoryLock {
    AdvisoryLock(kind: 2, [canonical], salt: 0)
  }

  public static func requestKey(caller: ExactText, method: ExactText, key: ExactText) -> AdvisoryLock {
    AdvisoryLock(kind: 3, [caller, method, key], salt: 0)
  }

  public static func credential(_ place: CredentialPlace) -> AdvisoryLock {
    AdvisoryLock(kind: 4, [place.accessGroup, place.account, place.service], salt: 0)
  }

  public static func < (left: AdvisoryLock, right: AdvisoryLock) -> Bool { left.name < right.name }

  /// FNV-1a over the kind, the salt and each text followed by a byte that no text has. Part of the protocol between
  /// daemons of one database: all must come to the same number.
  private init(kind: UInt8, _ texts: [ExactText], salt: UInt64) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    mix(kind)
    for shift in stride(from: UInt64(0), to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: salt >> shift)) }
    for text in texts {
      for byte in text.string.utf8 { mix(byte) }
      mix(0xFF)
    }
    name = Int64(bitPattern: hash)
  }
}

extension AdvisoryLock {
  /// Waits for all of them. They are to be given in ascending order, the same for everybody, so that nobody waits in a ring.
  public static let acquire = Statement<[AdvisoryLock], Void>(
    "acquire_locks", "select pg_advisory_xact_lock(l.name) from unnest($1::int8[]) l (name)"
  ) { locks, parameters in
    parameters.add(column: { $0.name }, of: locks)
  }

  /// Waits for one, unless the transaction does not hold the gate; see ``LockUser``. A lock that it holds can be taken once more.
  public static let acquireOne = Statement<(lock: AdvisoryLock, gate: AdvisoryLock?), Void>(
    "acquire_lock",
    """
    select pg_advisory_xact_lock($1::int8)
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
    """
  ) { question, parameters in
    parameters.add(question.lock.name)
    parameters.add(question.gate?.name)
  }

  /// Takes those that are free and says of each whether it was.
  public static let tryAcquire = Statement<[AdvisoryLock], Bool>(
    "try_locks",
    "select pg_try_advisory_xact_lock(l.name) from unnest($1::int8[]) with ordinality l (name, position) order by position",
    encode: { locks, parameters in parameters.add(column: { $0.name }, of: locks) },
    decode: { row throws(PostgresError) in try row.bool() })
}
