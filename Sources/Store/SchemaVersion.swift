import Postgres

/// The number of the last migration of the database; nil for none.
public enum SchemaVersion {
  public static let statement = Statement<Void, Int?>(
    "schema_version", "select max(m.version)::int8 from kith.migrations m"
  ) { row throws(PostgresError) in
    try row.optionalInteger(Int64.self).map { Int($0) }
  }
}
