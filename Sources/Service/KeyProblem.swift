import Accounts
import Crypto
import Postgres
import Store
import Vault

/// Why a keyset cannot be used with a database: something there, or in the spool, is sealed by keys that it does not open
/// with.
public struct KeyProblem: Error, Hashable, Sendable {
  /// So many keys are named.
  private static let keysTold = 5

  /// In the order of their ids.
  private let absent: [ExactText]
  private let retired: [ExactText]
  /// Those whose ids stand for other keys in the database.
  private let changed: [ExactText]

  /// Nil when every key in use opens, and every key is the one that the database knows.
  ///
  /// - Parameters:
  ///   - inUse: as they are stored.
  ///   - codes: those of the key ring.
  ///   - known: those of the database, by the keys' ids.
  init?(
    of keyRing: KeyRing, inUse: some Sequence<ExactText>, codes: [BlindIndex], known: [(id: ExactText, code: [UInt8])]
  ) {
    let states = Dictionary(keyRing.states.map { ($0.id.text, $0.state) }) { first, _ in first }
    let inUse = Set(inUse).sorted()
    absent = inUse.filter { states[$0] == nil }
    retired = inUse.filter { states[$0] == .retired }
    let known = Dictionary(known.map { ($0.id, $0.code) }) { first, _ in first }
    changed = codes.filter { code in
      known[code.keyID.text].map { !ConstantTime.areEqual($0, code.code) } ?? false
    }.map(\.keyID.text).sorted()
    if absent.isEmpty, retired.isEmpty, changed.isEmpty { return nil }
  }

  /// Looks whether a database can be served with some keys, and has it know those that are new.
  ///
  /// - Parameter spooled: the keys of what waits in the spool.
  static func look(
    _ keyRing: KeyRing, databaseID: UniqueID, spooled: Set<KeyID>, reads: Pool, writes: Pool
  ) async throws(PostgresError) -> KeyProblem? {
    let inUse = try await reads.rows(KeysInUse.find, ()).map(\.id) + spooled.map(\.text)
    let codes: [BlindIndex]
    do throws(SealingError) {
      codes = try KnownKeys.codes(of: keyRing, databaseID: databaseID)
    } catch {
      throw .unexpectedAnswer("the keys cannot be compared with the database's: \(error)")
    }
    let known = try await reads.rows(KnownKeys.find, codes)
    let problem = KeyProblem(of: keyRing, inUse: inUse, codes: codes, known: known)
    guard problem == nil, known.count < codes.count else { return problem }
    return KeyProblem(of: keyRing, inUse: inUse, codes: codes, known: try await enter(codes, to: writes) ?? known)
  }

  /// - Returns: what the database knows then, also from somebody else who was quicker; nil where it takes no changes.
  private static func enter(
    _ codes: [BlindIndex], to writes: Pool
  ) async throws(PostgresError) -> [(id: ExactText, code: [UInt8])]? {
    var pipeline = Pipeline()
    pipeline.add(KnownKeys.enter, codes)
    let slot = pipeline.add(KnownKeys.find, codes)
    do throws(PostgresError) {
      // Safe to repeat, so an unknown commit is treated like any other broken connection.
      return try await writes.begin().commit(pipeline, changes: false).rows(of: slot)
    } catch {
      guard case .readOnly = error else { throw error }
      return nil
    }
  }

  public var hint: String {
    guard changed.isEmpty else {
      return "restore the keyset from your backup, or give a new key an id that no other key had"
    }
    return absent.isEmpty
      ? "make it \"decrypt_only\" again in the keyset; once kith key rewrap is through, it can be retired"
      : "restore the keyset from your backup; if no backup has the key, what it sealed is lost: see kith key give-up"
  }
}

extension KeyProblem: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if !absent.isEmpty { parts.append("\(Self.words(absent)), which the keyset does not have") }
    if !retired.isEmpty { parts.append("\(Self.words(retired)), which the keyset has retired") }
    let used = parts.isEmpty ? [] : ["the database or the spool still uses " + parts.joined(separator: ", and ")]
    let others =
      changed.isEmpty ? [] : ["\(Self.words(changed)) of the keyset is another than the database knows by this id"]
    return (used + others).joined(separator: "; ")
  }

  private static func words(_ keys: [ExactText]) -> String {
    let told = keys.prefix(keysTold).map { "\"\($0)\"" }.joined(separator: ", ")
    return (keys.count == 1 ? "key " : "keys ") + told + (keys.count > keysTold ? ", …" : "")
  }
}

/// Why a configuration cannot be served with its database, now or ever.
public enum ServingProblem: Error, Sendable {
  case database(PostgresError)
  case keys(KeyProblem)
}

extension ServingProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .database(let error): "\(error)"
    case .keys(let problem): "\(problem)"
    }
  }
}
