import Accounts
import Postgres

/// What was done to credentials.
public enum CredentialVersions {
  /// One change as it is written.
  public struct Entry: Hashable, Sendable {
    public let credential: CredentialID
    public let version: Int64
    public let place: CredentialPlace
    /// Whose it is from this version on, or was to its end.
    public let user: UserID?
    public let action: CredentialAction
    public let at: Timestamp
    /// Nil where nobody called, as for what expired.
    public let caller: CallerName?
    /// Made for this attempt at the change, so that whoever made it can tell whether it was committed.
    public let changeID: UniqueID

    public init(
      credential: CredentialID, version: Int64, place: CredentialPlace, user: UserID?,
      action: CredentialAction, at: Timestamp, caller: CallerName?, changeID: UniqueID
    ) {
      self.credential = credential
      self.version = version
      self.place = place
      self.user = user
      self.action = action
      self.at = at
      self.caller = caller
      self.changeID = changeID
    }
  }

  public static let append = Statement<Entry, Void>(
    "append_credential_history",
    """
    insert into kith.credential_history (credential_id, version, access_group, account, service, action, at, caller,
      change_id, user_id)
    values ($1::uuid, $2::int8, $3::text, $4::text, $5::text, $6::text, $7::timestamptz, $8::text, $9::uuid, $10::uuid)
    """
  ) { entry, parameters in
    parameters.add(entry.credential.unique)
    parameters.add(entry.version)
    parameters.add(entry.place.accessGroup)
    parameters.add(entry.place.account)
    parameters.add(entry.place.service)
    parameters.add(entry.action.rawValue)
    parameters.add(entry.at)
    parameters.add(entry.caller?.text)
    parameters.add(entry.changeID)
    parameters.add(entry.user?.unique)
  }

  /// Whether an attempt was committed.
  public static let exists = Statement<Entry, Bool>(
    "credential_change_exists",
    """
    select exists (
      select from kith.credential_history h
      where h.credential_id = $1::uuid and h.version = $2::int8 and h.change_id = $3::uuid
    )
    """,
    encode: { entry, parameters in
      parameters.add(entry.credential.unique)
      parameters.add(entry.version)
      parameters.add(entry.changeID)
    },
    decode: { row throws(PostgresError) in try row.bool() })

  /// Where an entry stands among those of one place.
  public struct Position: Hashable, Sendable {
    public let number: Int64

    public init(number: Int64) {
      self.number = number
    }
  }

  public struct Page: Sendable {
    public let place: CredentialPlace
    public let after: Position?
    public let limit: Int32

    public init(place: CredentialPlace, after: Position?, limit: Int32) {
      self.place = place
      self.after = after
      self.limit = limit
    }
  }

  /// One change as it is told.
  public struct Record: Sendable {
    public let position: Position
    public let credential: CredentialID
    public let version: Int64
    public let action: CredentialAction
    public let at: Timestamp
    public let caller: ExactText?
  }

  /// What was done at a place, the oldest first.
  public static let list = Statement<Page, Record>(
    "list_credential_history",
    """
    select h.seq, h.credential_id, h.version, h.action, h.at, h.caller from kith.credential_history h
    where h.access_group = $1::text and h.account = $2::text and h.service = $3::text and h.seq > $4::int8
    order by h.seq limit $5::int4
    """,
    encode: { page, parameters in
      parameters.add(page.place.accessGroup)
      parameters.add(page.place.account)
      parameters.add(page.place.service)
      parameters.add(page.after?.number ?? 0)
      parameters.add(page.limit)
    },
    decode: { row throws(PostgresError) in
      Record(
        position: Position(number: try row.integer()), credential: try row.id(), version: try row.integer(),
        action: try row.word(), at: try row.timestamp(), caller: try row.optionalExactText())
    })
}
