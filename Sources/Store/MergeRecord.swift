import Accounts
import Postgres

/// How many of each belong to a user, or went with a merge.
public struct MergeCounts: Hashable, Sendable {
  public var identities: Int32
  public var emails: Int32
  public var credentials: Int32
  /// Completed ones; they stay where they are and lead to the survivor.
  public var registrations: Int32

  public init(identities: Int32, emails: Int32, credentials: Int32, registrations: Int32) {
    self.identities = identities
    self.emails = emails
    self.credentials = credentials
    self.registrations = registrations
  }

  init(_ row: inout RowReader) throws(PostgresError) {
    identities = try row.integer()
    emails = try row.integer()
    credentials = try row.integer()
    registrations = try row.integer()
  }

  /// Of a user.
  public static let ofUser = Statement<UserID, MergeCounts>(
    "merge_counts",
    """
    select (select count(*)::int4 from kith.identities i where i.user_id = $1::uuid),
      (select count(*)::int4 from kith.emails e where e.user_id = $1::uuid),
      (select count(*)::int4 from kith.credentials c where c.user_id = $1::uuid),
      (select count(*)::int4 from kith.registrations r where r.user_id = $1::uuid)
    """,
    encode: { user, parameters in parameters.add(user.unique) },
    decode: { row throws(PostgresError) in try MergeCounts(&row) })
}

/// One merge as it is told.
public struct MergeRecord: Sendable {
  /// That it was undone.
  public struct Undo: Sendable {
    public let at: Timestamp
    public let by: ExactText
    public let reason: ExactText

    public init(at: Timestamp, by: ExactText, reason: ExactText) {
      self.at = at
      self.by = by
      self.reason = reason
    }
  }

  public let id: MergeID
  public let survivor: UserID
  public let absorbed: UserID
  public let reason: ExactText
  /// The name of the caller.
  public let by: ExactText
  public let at: Timestamp
  public let moved: MergeCounts
  /// Credentials that did not open and so stayed.
  public let credentialsLeft: Int32
  /// What the absorbed user's status was.
  public let absorbedStatus: UserStatus
  /// The parts of the survivor's profile that the merge filled.
  public let filled: [ProfilePart]
  public var undo: Undo?

  public init(
    id: MergeID, survivor: UserID, absorbed: UserID, reason: ExactText, by: ExactText, at: Timestamp,
    moved: MergeCounts, credentialsLeft: Int32, absorbedStatus: UserStatus, filled: [ProfilePart]
  ) {
    self.id = id
    self.survivor = survivor
    self.absorbed = absorbed
    self.reason = reason
    self.by = by
    self.at = at
    self.moved = moved
    self.credentialsLeft = credentialsLeft
    self.absorbedStatus = absorbedStatus
    self.filled = filled
  }

  /// Reads the columns that ``FindMerges`` selects.
  init(_ row: inout RowReader) throws(PostgresError) {
    id = try row.id()
    survivor = try row.id()
    absorbed = try row.id()
    reason = try row.exactText()
    by = try row.exactText()
    at = try row.timestamp()
    moved = try MergeCounts(&row)
    credentialsLeft = try row.integer()
    absorbedStatus = try row.word()
    filled = try row.texts().compactMap { ProfilePart(rawValue: $0) }
    let undo = (at: try row.optionalTimestamp(), by: try row.optionalExactText(), reason: try row.optionalExactText())
    if let at = undo.at, let by = undo.by, let reason = undo.reason { self.undo = Undo(at: at, by: by, reason: reason) }
  }
}
