import Accounts
import Postgres

/// One address of a user as it is told.
public struct EmailRecord: Sendable {
  public let email: ExactText
  public let canonical: ExactText
  public let verified: Bool
  /// The identities whose providers vouch for it.
  public let vouchers: [IdentityID]
  /// Whether a token that was sent there came back.
  public let isProvedByToken: Bool
  public let addedAt: Timestamp

  public init(
    email: ExactText, canonical: ExactText, verified: Bool, vouchers: [IdentityID], isProvedByToken: Bool,
    addedAt: Timestamp
  ) {
    self.email = email
    self.canonical = canonical
    self.verified = verified
    self.vouchers = vouchers
    self.isProvedByToken = isProvedByToken
    self.addedAt = addedAt
  }

  /// Reads the columns that ``ListEmails`` selects.
  init(_ row: inout RowReader) throws(PostgresError) {
    email = try row.exactText()
    canonical = try row.exactText()
    verified = try row.bool()
    vouchers = try row.uuids().map { IdentityID(UniqueID(high: $0.high, low: $0.low)) }
    isProvedByToken = try row.bool()
    addedAt = try row.timestamp()
  }
}

/// A user's addresses, in the order of their canonical forms.
public enum ListEmails {
  public struct Page: Sendable {
    public let user: UserID
    /// A canonical address.
    public let after: ExactText?
    public let limit: Int32

    public init(user: UserID, after: ExactText? = nil, limit: Int32) {
      self.user = user
      self.after = after
      self.limit = limit
    }
  }

  public static let statement = Statement<Page, EmailRecord>(
    "list_emails",
    """
    select e.email, e.canonical, e.verified, e.vouched_by, e.vouched_by_token, e.added_at
    from kith.emails e
    where e.user_id = $1::uuid and ($2::text is null or e.canonical > $2::text)
    order by e.canonical limit $3::int4
    """,
    encode: { page, parameters in
      parameters.add(page.user.unique)
      parameters.add(page.after)
      parameters.add(page.limit)
    },
    decode: { row throws(PostgresError) in try EmailRecord(&row) })

  /// The first addresses of each of several users.
  public static let ofSeveral = Statement<PartsOfUsers, (position: Int, email: EmailRecord)>(
    "list_emails_of_several",
    """
    select u.position, e.email, e.canonical, e.verified, e.vouched_by, e.vouched_by_token, e.added_at
    from unnest($1::uuid[]) with ordinality u (id, position)
    cross join lateral (
      select * from kith.emails e where e.user_id = u.id order by e.canonical limit $2::int4
    ) e
    order by u.position, e.canonical
    """,
    encode: { parts, parameters in
      parameters.add(column: { $0.unique }, of: parts.users)
      parameters.add(parts.limit)
    },
    decode: { row throws(PostgresError) in (try row.position(), try EmailRecord(&row)) })
}
