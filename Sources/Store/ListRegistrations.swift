import Accounts
import Postgres
import Vault

/// Registrations that are held, in the order in which they came.
public enum ListRegistrations {
  public struct Page: Sendable {
    /// The numbers of the namespaces to look in.
    public let namespaces: [Int32]
    /// Only those in whose details an address stands with one of these codes.
    public let emailIndexes: [BlindIndex]?
    /// What expires by then is not listed.
    public let now: Timestamp
    public let after: RegistrationID?
    public let limit: Int32

    public init(
      namespaces: [Int32], emailIndexes: [BlindIndex]?, now: Timestamp, after: RegistrationID?, limit: Int32
    ) {
      self.namespaces = namespaces
      self.emailIndexes = emailIndexes
      self.now = now
      self.after = after
      self.limit = limit
    }
  }

  public static let statement = Statement<Page, StoredRegistration>(
    "list_registrations",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.registrations r join kith.namespaces n on n.id = r.namespace_id
    where r.completed_at is null and r.namespace_id = any ($1::int4[]) and ($2::uuid is null or r.id > $2::uuid)
      and r.expires_at > $4::timestamptz
    order by r.id limit $3::int4
    """,
    encode: { page, parameters in
      parameters.add(array: page.namespaces)
      parameters.add(page.after?.unique)
      parameters.add(page.limit)
      parameters.add(page.now)
    },
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })

  /// By the codes of an address.
  public static let byEmail = Statement<Page, StoredRegistration>(
    "list_registrations_by_email",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.registrations r join kith.namespaces n on n.id = r.namespace_id
    where r.email_index = any ($5::bytea[])
      and r.user_id is null and r.namespace_id = any ($1::int4[]) and ($2::uuid is null or r.id > $2::uuid)
      and r.expires_at > $4::timestamptz
    order by r.id limit $3::int4
    """,
    encode: { page, parameters in
      parameters.add(array: page.namespaces)
      parameters.add(page.after?.unique)
      parameters.add(page.limit)
      parameters.add(page.now)
      parameters.add(array: (page.emailIndexes ?? []).map { ByteString($0.code) })
    },
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })
}
