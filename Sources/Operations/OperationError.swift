import Accounts
import Postgres
import Vault

/// Why an operation gave no result.
public enum OperationError: Error, Sendable {
  /// A normal answer: no.
  case refused(Refusal)
  /// The identity belongs to another user. Whom, is for those who may see it.
  case linkedElsewhere(UserID)
  /// The answer to a challenge does not show that this is a candidate.
  case proofRejected(WrongProof)
  /// A token proves no address: it is not the right one, was used, or is too old.
  case tokenRefused(Refusal)
  /// The user to whom something is to belong is unknown or erased.
  case unknownOwner
  /// Two users cannot be merged, or a merge not be undone, as was asked for.
  case mergeRefused(MergeRefusal)
  /// Events after the place that was asked for were dropped; the cursor is before the oldest that is kept.
  case eventsGone(EventCursor)
  /// No event has, or ever had, the place that was named.
  case unknownCursor
  /// The caller has as many consumers as it may.
  case tooManyConsumers(max: Int)
  /// The database cannot be reached now, or takes no changes; nothing was done.
  ///
  /// - Parameter kept: whether the details of a sign-in are kept until it is back; nil for everything else.
  case databaseUnavailable(PostgresError, kept: Bool? = nil)
  /// The database's disk is full, or the one on which details would be kept; nothing was done.
  case storageFull(PostgresError, kept: Bool? = nil)
  /// Something that should not happen. What it holds is for the journal alone.
  case unexpected(PostgresError)
  /// What is stored sealed cannot be opened, or nothing can be sealed. Which record, and why, is for the journal alone.
  case sealing(SealingError, record: String)

  /// What a failure of PostgreSQL means when nothing was changed.
  init(_ error: PostgresError) {
    switch error {
    case .unavailable, .connectionLost, .commitUnknown, .readOnly: self = .databaseUnavailable(error)
    case .server(let refusal) where refusal.state.isDiskFull: self = .storageFull(error)
    case .server(let refusal) where refusal.state.passes: self = .databaseUnavailable(error)
    case .server, .unexpectedAnswer: self = .unexpected(error)
    }
  }
}

extension OperationError {
  /// Whether a sign-in that fails so has to be kept, and has not been looked after.
  var leavesDetailsUnkept: Bool {
    switch self {
    case .databaseUnavailable(_, nil), .storageFull(_, nil): true
    default: false
    }
  }

  /// The same failure of a sign-in whose details had this fate.
  func with(_ fate: DetailsSpool.Fate) -> OperationError {
    switch (self, fate) {
    case (.databaseUnavailable(let cause, _), .noSpace), (.storageFull(let cause, _), .noSpace):
      .storageFull(cause, kept: false)
    case (.databaseUnavailable(let cause, _), _): .databaseUnavailable(cause, kept: fate == .kept)
    case (.storageFull(let cause, _), _): .storageFull(cause, kept: fate == .kept)
    default: self
    }
  }

  /// Runs what speaks to the database and passes its failure on as one of an operation that changed nothing.
  static func translating<Value>(
    _ body: () async throws(PostgresError) -> Value
  ) async throws(OperationError) -> Value {
    do throws(PostgresError) {
      return try await body()
    } catch {
      throw OperationError(error)
    }
  }

  /// - Parameter record: which record it is about, for the journal.
  static func translating<Value>(
    sealing record: @autoclosure () -> String, _ body: () throws(SealingError) -> Value
  ) throws(OperationError) -> Value {
    do throws(SealingError) {
      return try body()
    } catch {
      throw .sealing(error, record: record())
    }
  }

  static func translating<Value>(_ body: () throws(Refusal) -> Value) throws(OperationError) -> Value {
    do throws(Refusal) {
      return try body()
    } catch {
      throw .refused(error)
    }
  }
}

extension SQLState {
  /// The same statement may succeed a moment later: somebody else was quicker, holds a lock, or the server is busy.
  var passes: Bool {
    switch self {
    case .uniqueViolation, .serializationFailure, .deadlockDetected, .lockNotAvailable, .queryCanceled: true
    default:
      conditionClass == "53"
    }
  }
}
