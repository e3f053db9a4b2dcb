import Postgres

/// Why a database could not be brought to the version of this binary. Nothing of the step that failed remains.
public enum MigrationError: Error, Sendable {
  /// A migration that was applied here has another text in this binary.
  case changed(version: Int, name: String)
  /// The database has migrations that this binary does not know.
  case databaseIsNewer(databaseVersion: Int, binaryVersion: Int)
  /// The connection's user may not do it.
  case rightsLacking(String)
  /// The owner came to a database in which nobody has prepared anything for it.
  case notPrepared(String)
  /// A script was refused.
  case failed(script: String, ServerError)
  /// The database could not be asked.
  case database(PostgresError)

  /// Sorts an error of a script, or of what surrounds it.
  init(_ error: PostgresError, in script: String) {
    guard case .server(let refusal) = error else {
      self = .database(error)
      return
    }
    self = refusal.state == .insufficientPrivilege ? .rightsLacking(refusal.message) : .failed(script: script, refusal)
  }
}

extension MigrationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .changed(let version, let name):
      "migration \(version) (\(name)) was applied to this database with another text"
    case .databaseIsNewer(let databaseVersion, let binaryVersion):
      "the database has schema version \(databaseVersion), this program knows \(binaryVersion)"
    case .rightsLacking(let message), .notPrepared(let message): "the database user may not migrate: \(message)"
    case .failed(let script, let error): "\(script) was refused: \(error.message) (SQLSTATE \(error.state))"
    case .database(let error): "\(error)"
    }
  }

  /// What to do about it; nil when the description says all there is.
  public var hint: String? {
    switch self {
    case .changed: "use the version of Kith that migrated it, or restore the migration's text"
    case .databaseIsNewer: "upgrade this program"
    case .rightsLacking: "connect as kith_owner, or once as a superuser so that the roles can be made"
    case .notPrepared: "run roles.sql (in share/kith, or sql) in this database as a superuser first"
    case .failed, .database: nil
    }
  }
}
