import Accounts
import Postgres

/// The audit trail, as it is looked at.
public enum ReadAudit {
  /// A place in the trail, counted from one.
  public struct Position: Hashable, Sendable {
    public let number: Int64

    public init(number: Int64) {
      self.number = number
    }
  }

  public struct Page: Sendable {
    /// Only what concerns this user, or somebody who is merged into them.
    public let user: UserID?
    /// Only what was done before.
    public let before: Position?
    public let limit: Int32

    public init(user: UserID?, before: Position?, limit: Int32) {
      self.user = user
      self.before = before
      self.limit = limit
    }
  }

  public struct Record: Sendable {
    public let position: Position
    public let at: Timestamp
    public let caller: ExactText
    public let peerUID: Int64?
    public let action: ExactText
    public let user: UserID?
    public let reason: ExactText?
    /// A JSON object.
    public let data: ExactText
  }

  /// The newest first.
  public static let newest = Statement<Page, Record>(
    "list_audit",
    """
    select a.seq, a.at, a.caller, a.peer_uid, a.action, a.user_id, a.reason, a.data from kith.audit a
    where $1::int8 is null or a.seq < $1::int8
    order by a.seq desc limit $2::int4
    """,
    encode: { page, parameters in encode(page, &parameters) },
    decode: { row throws(PostgresError) in try record(&row) })

  /// The same of the page's user. A merge, its undo, and an erasure stand with the survivor, and concern those as well who
  /// were absorbed, or erased along.
  public static let newestOfUser = Statement<Page, Record>(
    "list_audit_of_user",
    """
    with family as materialized (
      select array(select $3::uuid union all select u.id from kith.users u where u.merged_into = $3::uuid) as ids
    ), concerned as materialized (
      select s.seq from kith.audit s where s.user_id = any ((select f.ids from family f)::uuid[])
      union
      select s.seq from kith.merges m join kith.audit s on s.user_id = m.survivor and s.data ->> 'merge_id' = m.id::text
      where m.absorbed = any ((select f.ids from family f)::uuid[])
      union
      select s.seq from kith.users u join kith.audit s on s.user_id = u.merged_into and s.action = 'user.erase'
      where u.id = $3::uuid
    )
    select a.seq, a.at, a.caller, a.peer_uid, a.action, a.user_id, a.reason, a.data
    from concerned c join kith.audit a on a.seq = c.seq
    where $1::int8 is null or a.seq < $1::int8
    order by a.seq desc limit $2::int4
    """,
    encode: { page, parameters in
      encode(page, &parameters)
      parameters.add(page.user?.unique)
    },
    decode: { row throws(PostgresError) in try record(&row) })

  private static func encode(_ page: Page, _ parameters: inout Parameters) {
    parameters.add(page.before?.number)
    parameters.add(page.limit)
  }

  private static func record(_ row: inout RowReader) throws(PostgresError) -> Record {
    Record(
      position: Position(number: try row.integer()), at: try row.timestamp(), caller: try row.exactText(),
      peerUID: try row.optionalInteger(), action: try row.exactText(), user: try row.optionalID(),
      reason: try row.optionalExactText(), data: try row.exactText())
  }
}

/// The chain of hashes that the audit trail is, part by part.
public enum VerifyAudit {
  /// Up to where the chain was read.
  public struct Position: Hashable, Sendable {
    public let number: Int64
    /// Of the row there, or of the beginning: 32 bytes.
    public let hash: [UInt8]

    public init(number: Int64, hash: [UInt8]) {
      self.number = number
      self.hash = hash
    }
  }

  public struct Part: Sendable {
    /// Nil for the beginning.
    public let after: Position?
    public let limit: Int32

    public init(after: Position?, limit: Int32) {
      self.after = after
      self.limit = limit
    }
  }

  public struct Outcome: Sendable {
    public let checked: Int
    /// The first place that is changed, missing or put in.
    public let firstBad: Int64?
    public let next: Position
    /// Whether that was the rest; it was compared with the end that is kept apart.
    public let isEnd: Bool
  }

  public static let statement = Statement<Part, Outcome>(
    "verify_audit_part",
    """
    select p.checked, p.first_bad, p.last_seq, p.last_hash, p.at_end
    from kith.verify_audit_part($1::int8, $2::bytea, $3::int4) p
    """,
    encode: { part, parameters in
      parameters.add(part.after?.number)
      parameters.add(part.after.map { ByteString($0.hash) })
      parameters.add(part.limit)
    },
    decode: { row throws(PostgresError) in
      let checked: Int64 = try row.integer()
      let firstBad: Int64? = try row.optionalInteger()
      let number: Int64 = try row.integer()
      let hash = try row.require(try row.bytes().map { Array($0) })
      return Outcome(
        checked: Int(checked), firstBad: firstBad, next: Position(number: number, hash: hash), isEnd: try row.bool())
    })
}
