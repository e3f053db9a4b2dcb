import Accounts
import Postgres
import Vault

/// Why a keyset cannot be used with a database: something there is sealed by keys that it does not open with.
public struct KeyProblem: Error, Hashable, Sendable {
  /// So many keys are named.
  private static let keysTold = 5

  /// In the order of their ids.
  private let absent: [ExactText]
  private let retired: [ExactText]

  /// Nil when every key in use opens.
  ///
  /// - Parameter inUse: as they are stored.
  init?(of keyRing: KeyRing, inUse: some Sequence<ExactText>) {
    let states = Dictionary(keyRing.states.map { ($0.id.text, $0.state) }) { first, _ in first }
    let inUse = Set(inUse).sorted()
    absent = inUse.filter { states[$0] == nil }
    retired = inUse.filter { states[$0] == .retired }
    if absent.isEmpty, retired.isEmpty { return nil }
  }

  public var hint: String {
    absent.isEmpty
      ? "make it \"decrypt_only\" again in the keyset; once kith key rewrap is through, it can be retired"
      : "restore the keyset from your backup; what a lost key sealed is lost"
  }
}

extension KeyProblem: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if !absent.isEmpty { parts.append("\(Self.words(absent)), which the keyset does not have") }
    if !retired.isEmpty { parts.append("\(Self.words(retired)), which the keyset has retired") }
    return "the database still uses " + parts.joined(separator: ", and ")
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
