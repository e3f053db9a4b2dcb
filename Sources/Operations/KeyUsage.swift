import Accounts
import Postgres
import Store
import Vault

/// Tells what each root key seals.
public struct KeyUsage: Sendable {
  /// What a key may be used for.
  public enum State: Sendable {
    case listed(RootKey.State)
    /// Something is sealed by it, and the keyset does not have it.
    case unknown
  }

  public struct Key: Sendable {
    public let id: ExactText
    public let state: State
    public internal(set) var records: [SealedKind: Int] = [:]
  }

  public struct Outcome: Sendable {
    /// Those of the keyset in its order, then unknown ones by their ids.
    public let keys: [Key]
    public let primary: KeyID
  }

  private let reads: Pool
  private let sealer: SharedSealer

  public init(reads: Pool, sealer: SharedSealer) {
    self.reads = reads
    self.sealer = sealer
  }

  public func tell() async throws(OperationError) -> Outcome {
    let sealer = try sealer.known()
    let counts = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(KeysInUse.count, ())
    }
    var keys = sealer.keyRing.states.map { Key(id: $0.id.text, state: .listed($0.state)) }
    let listed = Set(keys.map(\.id))
    keys += Set(counts.map(\.key.id)).subtracting(listed).sorted().map { Key(id: $0, state: .unknown) }
    for index in keys.indices {
      for count in counts where count.key.id == keys[index].id { keys[index].records[count.key.kind] = count.records }
    }
    return Outcome(keys: keys, primary: sealer.keyRing.primaryID)
  }
}
