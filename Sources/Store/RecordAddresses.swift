import Accounts
import Postgres

/// Addresses that users have come to have: claimed, or vouched for by an identity.
public enum RecordAddresses {
  public struct Record: Sendable {
    public let user: UserID
    public let address: EmailAddress
    public let addedAt: Timestamp
    /// The identity that vouches for the address; nil for a mere claim.
    public let voucher: IdentityID?

    public init(user: UserID, address: EmailAddress, addedAt: Timestamp, voucher: IdentityID?) {
      self.user = user
      self.address = address
      self.addedAt = addedAt
      self.voucher = voucher
    }
  }

  public static let statement = Statement<[Record], Void>(
    "record_addresses",
    """
    insert into kith.emails as e (user_id, canonical, email, added_at, vouched_by)
    select a.user_id, a.canonical, a.email, a.added_at, array_remove(array[a.voucher], null)
    from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::uuid[])
      a (user_id, canonical, email, added_at, voucher)
    on conflict (user_id, canonical) do update set vouched_by = e.vouched_by || excluded.vouched_by
    where not e.vouched_by @> excluded.vouched_by
    """
  ) { records, parameters in
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { $0.address.canonical }, of: records)
    parameters.add(column: { $0.address.asGiven }, of: records)
    parameters.add(column: { $0.addedAt }, of: records)
    parameters.add(optional: { $0.voucher?.unique }, of: records)
  }
}
