import Accounts
import Postgres

/// How far the log of events goes.
public struct EventLog: Sendable {
  public let era: Int32
  public let lastPlace: Int64
  /// The last place whose event was dropped.
  public let droppedPlace: Int64
  /// Whether events were committed that have no place yet.
  public let hasUnplaced: Bool

  /// One look; it touches no more than an entry or two of an index.
  public static let look = Statement<Void, EventLog>(
    "look_at_event_log",
    """
    select l.era, l.last_place, l.dropped_place, coalesce(
      l.cluster <> c.here or l.done_xid is null
        or exists (select from kith.events e where e.place is null and e.xid >= l.done_xid), false)
    from kith.event_log l, kith.event_cluster() c (here)
    """
  ) { row throws(PostgresError) in try EventLog(&row) }

  init(_ row: inout RowReader) throws(PostgresError) {
    era = try row.integer()
    lastPlace = try row.integer()
    droppedPlace = try row.integer()
    hasUnplaced = try row.bool()
  }

  /// Gives the next places to at most so many events, and tells to how many.
  public static let place = Statement<Int32, Int>(
    "place_events", "select p.placed::int8 from kith.place_events($1::int4) p",
    encode: { limit, parameters in parameters.add(limit) },
    decode: { row throws(PostgresError) in Int(try row.integer(Int64.self)) })

  /// Drops at most so many of the oldest events that were kept for long enough, and tells how many.
  public static let drop = Statement<Int32, Int>(
    "drop_events", "select d.dropped::int8 from kith.drop_events($1::int4) d",
    encode: { limit, parameters in parameters.add(limit) },
    decode: { row throws(PostgresError) in Int(try row.integer(Int64.self)) })
}
