import Accounts
import Postgres

/// Which root keys sealed something that is stored. Each is found by one step through an index, however many rows it has.
public enum KeysInUse {
  public struct Key: Hashable, Sendable {
    public let kind: SealedKind
    /// As it is stored; it need not be one of the keyset, nor even a well-formed id.
    public let id: ExactText
  }

  /// In the order of kinds and ids.
  public static let find = Statement<Void, Key>(
    "find_keys_in_use",
    """
    with recursive registration_keys as (
      select min(r.key_id) as key_id from kith.registrations r
      union all
      select (select min(r.key_id) from kith.registrations r where r.key_id > k.key_id)
      from registration_keys k where k.key_id is not null
    ), credential_keys as (
      select min(c.key_id) as key_id from kith.credentials c
      union all
      select (select min(c.key_id) from kith.credentials c where c.key_id > k.key_id)
      from credential_keys k where k.key_id is not null
    ), answer_keys as (
      select min(a.key_id) as key_id from kith.request_keys a
      union all
      select (select min(a.key_id) from kith.request_keys a where a.key_id > k.key_id)
      from answer_keys k where k.key_id is not null
    )
    select 'r', k.key_id from registration_keys k where k.key_id is not null
    union all
    select 'c', k.key_id from credential_keys k where k.key_id is not null
    union all
    select 'a', k.key_id from answer_keys k where k.key_id is not null
    """
  ) { row throws(PostgresError) in Key(kind: try row.word(), id: try row.exactText()) }

  /// How many rows each key of each kind seals; reads an entry of an index for each row.
  public static let count = Statement<Void, (key: Key, records: Int)>(
    "count_by_key",
    """
    select 'r', r.key_id, count(*) from kith.registrations r where r.key_id is not null group by r.key_id
    union all
    select 'c', c.key_id, count(*) from kith.credentials c group by c.key_id
    union all
    select 'a', a.key_id, count(*) from kith.request_keys a where a.key_id is not null group by a.key_id
    """
  ) { row throws(PostgresError) in
    let key = Key(kind: try row.word(), id: try row.exactText())
    return (key, Int(try row.integer(Int64.self)))
  }

  /// How many rows are sealed by others than one key, counted up to a limit.
  public static let countOthers = Statement<(key: ExactText, max: Int64), Int>(
    "count_sealed_by_others",
    """
    select count(*) from (
      (select from kith.registrations r where r.key_id < $1::text limit $2::int8)
      union all
      (select from kith.registrations r where r.key_id > $1::text limit $2::int8)
      union all
      (select from kith.credentials c where c.key_id < $1::text limit $2::int8)
      union all
      (select from kith.credentials c where c.key_id > $1::text limit $2::int8)
      union all
      (select from kith.request_keys a where a.key_id < $1::text limit $2::int8)
      union all
      (select from kith.request_keys a where a.key_id > $1::text limit $2::int8)
      limit $2::int8
    ) others
    """,
    encode: { input, parameters in
      parameters.add(input.key)
      parameters.add(input.max)
    },
    decode: { row throws(PostgresError) in Int(try row.integer(Int64.self)) })
}
