import Postgres

/// About how many entries there are in the indexes that ``FindSharers`` goes through, as PostgreSQL counted them last: to
/// count them now would take as long as a part of the way. 0 when they were never counted.
public enum EstimateComparedEntries {
  public static let statement = Statement<Void, Int>(
    "estimate_compared_entries",
    """
    select coalesce(sum(c.reltuples) filter (where c.reltuples > 0), 0)::int8
    from pg_catalog.pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relname in (
      'claims_are_found_by_address', 'addresses_are_found_by_mailbox', 'users_are_compared_by_birthday',
      'users_are_compared_by_name'
    )
    """
  ) { row throws(PostgresError) in try row.integer() }
}
