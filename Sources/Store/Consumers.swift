import Accounts
import EventLoop
import Postgres

/// How far the apps are done with the events.
public enum Consumers {
  /// One that is there.
  public struct Found: Sendable {
    public let place: Int64
    /// About when it was last used; see ``touchSeconds``.
    public let usedAt: Timestamp
  }

  /// So much later its use is written down again.
  public static let touchSeconds: Double = 86_400

  public static let find = Statement<[ConsumerKey], (position: Int, found: Found)>(
    "find_consumers",
    """
    select k.position, c.place, c.used_at
    from unnest($1::text[], $2::text[]) with ordinality k (caller, name, position)
    join kith.consumers c on c.caller = k.caller and c.name = k.name
    """,
    encode: { keys, parameters in encode(keys, &parameters) },
    decode: { row throws(PostgresError) in
      (try row.position(), Found(place: try row.integer(), usedAt: try row.timestamp()))
    })

  public struct New: Sendable {
    public let key: ConsumerKey
    /// Nil for before the oldest event that is kept.
    public let place: Int64?
    public let at: Timestamp
    /// Not made where the caller has so many already.
    public let consumersMax: Int32

    public init(key: ConsumerKey, place: Int64?, at: Timestamp, consumersMax: Int32) {
      self.key = key
      self.place = place
      self.at = at
      self.consumersMax = consumersMax
    }
  }

  /// One that is there already stays as it is.
  public static let insert = Statement<New, Void>(
    "insert_consumer",
    """
    insert into kith.consumers (caller, name, place, created_at, used_at)
    select $1::text, $2::text, coalesce($3::int8, l.dropped_place), $4::timestamptz, $4::timestamptz
    from kith.event_log l
    where (select count(*) from kith.consumers c where c.caller = $1::text) < $5::int4
    on conflict do nothing
    """
  ) { new, parameters in
    parameters.add(new.key.caller.text)
    parameters.add(new.key.name.text)
    parameters.add(new.place)
    parameters.add(new.at)
    parameters.add(new.consumersMax)
  }

  /// Notes that one is used.
  public static let touch = Statement<(key: ConsumerKey, at: Timestamp), Void>(
    "touch_consumer",
    """
    update kith.consumers c set used_at = greatest(c.used_at, $3::timestamptz)
    where c.caller = $1::text and c.name = $2::text
    """
  ) { input, parameters in
    parameters.add(input.key.caller.text)
    parameters.add(input.key.name.text)
    parameters.add(input.at)
  }

  public struct Acknowledgement: Sendable {
    public let key: ConsumerKey
    public let place: Int64

    public init(key: ConsumerKey, place: Int64) {
      self.key = key
      self.place = place
    }
  }

  public struct Move: Sendable {
    /// Each consumer once.
    public let acknowledgements: [Acknowledgement]
    /// The era in which the places were told; nothing moves in another.
    public let era: Int32
    public let at: Timestamp

    public init(acknowledgements: [Acknowledgement], era: Int32, at: Timestamp) {
      self.acknowledgements = acknowledgements
      self.era = era
      self.at = at
    }
  }

  /// Moves consumers onwards, never back, and tells of those that are there where they are now. Rows are locked in the order
  /// of their keys.
  public static let move = Statement<Move, (position: Int, place: Int64)>(
    "move_consumers",
    """
    with k as (
      select * from unnest($1::text[], $2::text[], $3::int8[]) with ordinality k (caller, name, place, position)
    ), locked as materialized (
      select c.caller, c.name, k.place, k.position from k
      join kith.consumers c on c.caller = k.caller and c.name = k.name
      where (select l.era from kith.event_log l) = $4::int4
      order by c.caller, c.name
      for update of c
    )
    update kith.consumers c
    set place = greatest(c.place, o.place), used_at = greatest(c.used_at, $5::timestamptz)
    from locked o where c.caller = o.caller and c.name = o.name
    returning o.position, c.place
    """,
    encode: { move, parameters in
      encode(move.acknowledgements.map(\.key), &parameters)
      parameters.add(column: { $0.place }, of: move.acknowledgements)
      parameters.add(move.era)
      parameters.add(move.at)
    },
    decode: { row throws(PostgresError) in (try row.position(), try row.integer()) })

  /// The place of one, locked to the end of the transaction, unless that lacks the gate.
  public static let lock = Statement<(key: ConsumerKey, gate: AdvisoryLock?), Int64>(
    "lock_consumer",
    """
    select c.place from kith.consumers c
    where (select $3::int8 is null or pg_try_advisory_xact_lock($3::int8)) and c.caller = $1::text and c.name = $2::text
    for update of c
    """,
    encode: { input, parameters in
      parameters.add(input.key.caller.text)
      parameters.add(input.key.name.text)
      parameters.add(input.gate?.name)
    },
    decode: { row throws(PostgresError) in try row.integer() })

  /// Whether one is past a place, and so done with it.
  public static let isDone = Statement<Acknowledgement, Bool>(
    "is_consumer_done",
    """
    select exists (
      select from kith.consumers c where c.caller = $1::text and c.name = $2::text and c.place >= $3::int8
    )
    """,
    encode: { acknowledgement, parameters in
      parameters.add(acknowledgement.key.caller.text)
      parameters.add(acknowledgement.key.name.text)
      parameters.add(acknowledgement.place)
    },
    decode: { row throws(PostgresError) in try row.bool() })

  /// How far one is behind.
  public struct Lag: Sendable {
    public let caller: ExactText
    public let name: ExactText
    /// How many events it is not done with.
    public let behind: Int
  }

  /// How far each is behind what has a place, in the order of callers and names.
  public static let list = Statement<Void, Lag>(
    "list_consumers",
    """
    select c.caller, c.name, greatest(l.last_place - c.place, 0) from kith.consumers c, kith.event_log l
    order by c.caller, c.name
    """
  ) { row throws(PostgresError) in try lag(&row) }

  /// Events of a user are counted up to here.
  public static let behindMax = 1000

  /// How many events about some users each consumer is not done with, counted up to ``behindMax``, those without a place
  /// included; in the order of callers and names.
  public static let behind = Statement<[UserID], Lag>(
    "consumers_behind",
    """
    select c.caller, c.name, b.placed + w.unplaced
    from kith.consumers c
    cross join lateral (
      select count(*) as placed from (
        select from kith.events e where e.user_id = any ($1::uuid[]) and e.place > c.place limit 1000
      ) e
    ) b
    cross join (
      select count(*) as unplaced from (
        select from kith.events e where e.place is null and e.user_id = any ($1::uuid[]) limit 1000
      ) e
    ) w
    order by c.caller, c.name
    """,
    encode: { users, parameters in parameters.add(column: { $0.unique }, of: users) },
    decode: { row throws(PostgresError) in try lag(&row) })

  private static func lag(_ row: inout RowReader) throws(PostgresError) -> Lag {
    Lag(
      caller: try row.exactText(), name: try row.exactText(), behind: Int(try row.integer(Int64.self)))
  }

  @Sendable private static func encode(_ keys: [ConsumerKey], _ parameters: inout Parameters) {
    parameters.add(column: { $0.caller.text }, of: keys)
    parameters.add(column: { $0.name.text }, of: keys)
  }
}

/// Consumers for many callers at once.
public typealias ConsumerLookup = GatheredLookup<ConsumerKey, Consumers.Found>

extension ConsumerLookup {
  public convenience init(on loop: EventLoop, from pool: Pool) {
    self.init(Consumers.find, batchLookupsMax: 256, on: loop, from: pool)
  }
}

extension DropExpired {
  /// Consumers that nobody has used since a moment.
  public static let consumers = Statement<Batch, Void>(
    "drop_consumers",
    """
    delete from kith.consumers c where (c.caller, c.name) in (
      select u.caller, u.name from kith.consumers u where u.used_at < $1::timestamptz
      order by u.used_at limit $2::int4
      for update skip locked
    )
    """,
    encode: encode)
}
