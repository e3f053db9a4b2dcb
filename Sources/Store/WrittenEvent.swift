import Accounts
import Postgres

/// An event by the transaction that wrote it: whether it is there tells whether that transaction was committed.
///
/// Better than asking for the transaction's status: after a failover another transaction may bear the number.
public struct WrittenEvent: Hashable, Sendable {
  /// The number of the transaction, an `xid8`.
  public let transaction: Int64
  public let event: EventID

  public init(transaction: Int64, event: EventID) {
    self.transaction = transaction
    self.event = event
  }

  public static let exists = Statement<WrittenEvent, Bool>(
    "event_exists",
    "select exists (select from kith.events e where e.xid = $1::xid8 and e.id = $2::uuid)",
    encode: { written, parameters in
      parameters.add(written.transaction)
      parameters.add(written.event.unique)
    },
    decode: { row throws(PostgresError) in try row.bool() })

  /// The number of the transaction that this runs in.
  public static let currentTransaction = Statement<Void, Int64>(
    "current_transaction", "select pg_current_xact_id()"
  ) { row throws(PostgresError) in try row.integer() }
}
