import Accounts
import Postgres

/// Which database this is; the first migration gave it its id.
public enum DatabaseIdentity {
  public static let statement = Statement<Void, UniqueID>(
    "database_identity", "select d.id from kith.database d"
  ) { row throws(PostgresError) in
    let id = try row.require(try row.optionalUUID())
    return UniqueID(high: id.high, low: id.low)
  }
}
