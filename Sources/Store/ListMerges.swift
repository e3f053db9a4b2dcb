import Accounts
import Postgres

/// Merges, the newest first.
public enum ListMerges {
  /// Where a merge stands among all.
  public struct Position: Hashable, Sendable {
    public let number: Int64

    public init(number: Int64) {
      self.number = number
    }
  }

  public struct Page: Sendable {
    /// Only those of which this user was one of the two; nil for all.
    public let user: UserID?
    public let after: Position?
    public let limit: Int32

    public init(user: UserID?, after: Position?, limit: Int32) {
      self.user = user
      self.after = after
      self.limit = limit
    }
  }

  public typealias Row = (position: Position, merge: MergeRecord)

  public static let all = Statement<Page, Row>(
    "list_merges",
    """
    select m.seq, m.id, m.survivor, m.absorbed, m.reason, m.caller, m.at, m.identities, m.emails, m.credentials,
      m.registrations, m.credentials_left, m.absorbed_status, m.filled, m.undone_at, m.undone_by, m.undo_reason
    from kith.merges m where m.seq < $1::int8 order by m.seq desc limit $2::int4
    """,
    encode: { page, parameters in
      parameters.add(page.after?.number ?? .max)
      parameters.add(page.limit)
    },
    decode: decode)

  public static let ofUser = Statement<Page, Row>(
    "list_merges_of_user",
    """
    select m.seq, m.id, m.survivor, m.absorbed, m.reason, m.caller, m.at, m.identities, m.emails, m.credentials,
      m.registrations, m.credentials_left, m.absorbed_status, m.filled, m.undone_at, m.undone_by, m.undo_reason
    from (
      (
        select * from kith.merges s where s.survivor = $3::uuid and s.seq < $1::int8
        order by s.seq desc limit $2::int4
      ) union all (
        select * from kith.merges a where a.absorbed = $3::uuid and a.seq < $1::int8
        order by a.seq desc limit $2::int4
      )
    ) m order by m.seq desc limit $2::int4
    """,
    encode: { page, parameters in
      parameters.add(page.after?.number ?? .max)
      parameters.add(page.limit)
      parameters.add(page.user?.unique)
    },
    decode: decode)

  @Sendable
  private static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (Position(number: try row.integer()), try MergeRecord(&row))
  }
}
