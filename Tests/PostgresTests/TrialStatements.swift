import Postgres

/// Statements that tests of connections, pools and poolers run alike.
enum TrialStatements {
  static let number = Statement<Int64, Int64>(
    "trial_number", "select $1::int8", encode: { $1.add($0) },
    decode: { row throws(PostgresError) in try row.integer() })
  static let insert = Statement<Int64, Void>(
    "trial_insert", "insert into kept (id) values ($1::int8)", encode: { $1.add($0) })
  static let count = Statement<Void, Int64>(
    "trial_count", "select count(*) from kept", decode: { row throws(PostgresError) in try row.integer() })
  static let isolation = Statement<Void, String>(
    "trial_isolation", "select current_setting('transaction_isolation')",
    decode: { row throws(PostgresError) in try row.text() })
  static let backend = Statement<Void, Int32>(
    "trial_backend", "select pg_backend_pid()", decode: { row throws(PostgresError) in try row.integer() })
}
