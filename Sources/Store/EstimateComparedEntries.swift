import Accounts
import Postgres

/// About how many entries there are in the indexes that ``FindSharers`` goes through for some kinds of keys, as PostgreSQL
/// counted them last: to count them now would take as long as a part of the way. 0 when they were never counted.
public enum EstimateComparedEntries {
  public static let statement = Statement<[DuplicateKey.Kind], Int>(
    "estimate_compared_entries",
    """
    select coalesce(sum(c.reltuples) filter (where c.reltuples > 0), 0)::int8
    from pg_catalog.pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relname = any ($1::text[])
    """,
    encode: { kinds, parameters in parameters.add(column: \.index, of: kinds) },
    decode: { row throws(PostgresError) in try row.integer() })
}

extension DuplicateKey.Kind {
  /// The name of the index in whose order its keys are gone through.
  fileprivate var index: String {
    switch self {
    case .address: "claims_are_found_by_address"
    case .mailbox: "addresses_are_found_by_mailbox"
    case .nameAndBirthday: "users_are_compared_by_birthday"
    case .name: "users_are_compared_by_name"
    }
  }
}
