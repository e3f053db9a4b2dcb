import Accounts
import Postgres

/// The database's time of day; answers at once, so it also shows how the database does.
public enum DatabaseTime {
  public static let statement = Statement<Void, Timestamp>(
    "database_time", "select clock_timestamp()"
  ) { row throws(PostgresError) in try row.timestamp() }
}
