import Accounts
import Postgres

/// Credentials without what is sealed, in the order of their places.
public enum ListCredentials {
  /// Which credentials are wanted; nil for any.
  public struct Filter: Sendable {
    public var accessGroup: ExactText?
    public var account: ExactText?
    public var service: ExactText?
    /// Also a former id, of which the survivor's are wanted.
    public var user: UserID?

    public init(
      accessGroup: ExactText? = nil, account: ExactText? = nil, service: ExactText? = nil, user: UserID? = nil
    ) {
      self.accessGroup = accessGroup
      self.account = account
      self.service = service
      self.user = user
    }
  }

  public struct Page: Sendable {
    public let groups: AccessGroups
    public let filter: Filter
    public let after: CredentialPlace?
    /// What has expired by then is left out.
    public let now: Timestamp
    public let limit: Int32

    public init(groups: AccessGroups, filter: Filter, after: CredentialPlace?, now: Timestamp, limit: Int32) {
      self.groups = groups
      self.filter = filter
      self.after = after
      self.now = now
      self.limit = limit
    }

    /// What all places of the page come after.
    fileprivate var lower: CredentialPlace {
      let first = CredentialPlace(
        accessGroup: filter.accessGroup ?? "", account: filter.accessGroup == nil ? "" : filter.account ?? "",
        service: "")
      return after.map { max($0, first) } ?? first
    }

    /// Access group and account that none of the page comes after.
    fileprivate var upper: (accessGroup: ExactText, account: ExactText) {
      guard let accessGroup = filter.accessGroup else { return (Self.afterAll, Self.afterAll) }
      return (accessGroup, filter.account ?? Self.afterAll)
    }

    /// A text that comes after all that a place may hold, by its bytes.
    private static let afterAll = ExactText(String(repeating: "\u{10FFFF}", count: CredentialPlace.bytesMax / 4 + 1))
  }

  /// By place. The bounds say what the filters say as well, in the way that the index of the places can use.
  public static let byPlace = Statement<Page, CredentialRecord>(
    "list_credentials",
    """
    select c.id, c.access_group, c.account, c.service, c.label, c.user_id, c.attributes, c.version, c.created_at,
      c.updated_at, c.expires_at
    from kith.credentials c
    where (c.access_group, c.account, c.service) > ($1::text, $2::text, $3::text)
      and (c.access_group, c.account) <= ($4::text, $5::text)
      and (c.access_group = any ($6::text[]) or ($7::bool and not starts_with(c.access_group, $8::text)))
      and ($9::text is null or c.access_group = $9::text)
      and ($10::text is null or c.account = $10::text)
      and ($11::text is null or c.service = $11::text)
      and (c.expires_at is null or c.expires_at > $12::timestamptz)
    order by c.access_group, c.account, c.service limit $13::int4
    """,
    encode: { page, parameters in encode(page, &parameters) },
    decode: { row throws(PostgresError) in try CredentialRecord(&row) })

  /// Those of the filter's user.
  public static let byUser = Statement<Page, CredentialRecord>(
    "list_credentials_of_user",
    """
    select c.id, c.access_group, c.account, c.service, c.label, c.user_id, c.attributes, c.version, c.created_at,
      c.updated_at, c.expires_at
    from kith.credentials c
    where c.user_id = coalesce((select u.merged_into from kith.users u where u.id = $14::uuid), $14::uuid)
      and (c.access_group, c.account, c.service) > ($1::text, $2::text, $3::text)
      and (c.access_group, c.account) <= ($4::text, $5::text)
      and (c.access_group = any ($6::text[]) or ($7::bool and not starts_with(c.access_group, $8::text)))
      and ($9::text is null or c.access_group = $9::text)
      and ($10::text is null or c.account = $10::text)
      and ($11::text is null or c.service = $11::text)
      and (c.expires_at is null or c.expires_at > $12::timestamptz)
    order by c.access_group, c.account, c.service limit $13::int4
    """,
    encode: { page, parameters in
      encode(page, &parameters)
      parameters.add(page.filter.user?.unique)
    },
    decode: { row throws(PostgresError) in try CredentialRecord(&row) })

  private static func encode(_ page: Page, _ parameters: inout Parameters) {
    let lower = page.lower
    parameters.add(lower.accessGroup)
    parameters.add(lower.account)
    parameters.add(lower.service)
    parameters.add(page.upper.accessGroup)
    parameters.add(page.upper.account)
    parameters.add(array: page.groups.named)
    parameters.add(page.groups.hasAll)
    parameters.add("\(AccessGroups.ownPrefix)")
    parameters.add(page.filter.accessGroup)
    parameters.add(page.filter.account)
    parameters.add(page.filter.service)
    parameters.add(page.now)
    parameters.add(page.limit)
  }
}
