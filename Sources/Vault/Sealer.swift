import Accounts
import Crypto
import Synchronization

/// Seals and opens for one database, with the keys of the moment. Whoever works on one record takes one of these and keeps
/// to it.
public struct Sealer: Sendable {
  public let keyRing: KeyRing
  /// Which database the records are stored in; they open in no other.
  public let databaseID: UniqueID

  public init(_ keyRing: KeyRing, databaseID: UniqueID) {
    self.keyRing = keyRing
    self.databaseID = databaseID
  }
}

/// The sealer of a process: its keys change when the keyset is read again, and its database is known once it was reached.
public final class SharedSealer: Sendable {
  private struct State {
    var keyRing: KeyRing
    var databaseID: UniqueID?
  }

  private let state: Mutex<State>

  public init(_ keyRing: KeyRing, databaseID: UniqueID? = nil) {
    state = Mutex(State(keyRing: keyRing, databaseID: databaseID))
  }

  /// Nil until the database is known.
  public var current: Sealer? {
    state.withLock { state in state.databaseID.map { Sealer(state.keyRing, databaseID: $0) } }
  }

  /// The keys of the moment.
  public var keyRing: KeyRing { state.withLock { $0.keyRing } }

  public func use(_ keyRing: KeyRing) { state.withLock { $0.keyRing = keyRing } }

  public func use(databaseID: UniqueID) { state.withLock { $0.databaseID = databaseID } }
}
