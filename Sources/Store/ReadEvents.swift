import Accounts
import Postgres

/// An event as it is told.
public struct StoredEvent: Sendable {
  public let place: Int64
  public let id: EventID
  /// A word of ``EventType``, or one that a later version writes.
  public let type: ExactText
  public let at: Timestamp
  /// Nil for somebody who is no user.
  public let user: UserID?
  /// Nil when nobody called.
  public let caller: ExactText?
  /// A JSON object.
  public let data: ExactText
}

/// Events in their order.
public enum ReadEvents {
  public struct Page: Hashable, Sendable {
    public let after: Int64
    public let limit: Int32

    public init(after: Int64, limit: Int32) {
      self.after = after
      self.limit = limit
    }
  }

  /// Places have no gaps but where old events were dropped: a first one that is not the next says that some are gone.
  public static let statement = Statement<Page, StoredEvent>(
    "read_events",
    """
    select e.place, e.id, e.type, e.at, e.user_id, e.caller, e.data from kith.events e
    where e.place > $1::int8 order by e.place limit $2::int4
    """,
    encode: { page, parameters in
      parameters.add(page.after)
      parameters.add(page.limit)
    },
    decode: { row throws(PostgresError) in
      StoredEvent(
        place: try row.integer(), id: try row.id(), type: try row.exactText(), at: try row.timestamp(),
        user: try row.optionalID(), caller: try row.optionalExactText(), data: try row.exactText())
    })
}
