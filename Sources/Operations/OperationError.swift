import Accounts
import Postgres

/// Why an operation gave no result.
public enum OperationError: Error, Sendable {
  /// A normal answer: no.
  case refused(Refusal)
  /// The database cannot be reached now, or takes no changes; nothing was done.
  case databaseUnavailable(PostgresError)
  /// The database's disk is full; nothing was done.
  case storageFull(PostgresError)
  /// Something that should not happen. What it holds is for the journal alone.
  case unexpected(PostgresError)

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
