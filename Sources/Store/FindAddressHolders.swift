import Accounts
import Postgres

/// A sign-in that asks who holds its address.
public struct AddressQuestion: Sendable {
  public let key: StoredKey
  /// The canonical address.
  public let address: ExactText
  /// Whether the address alone attaches the identity; if not, the holder's providers are needed to make a challenge.
  public let isEnough: Bool

  public init(key: StoredKey, address: ExactText, isEnough: Bool) {
    self.key = key
    self.address = address
    self.isEnough = isEnough
  }
}

/// Who holds an address as verified.
public enum FindAddressHolders {
  public struct Found: Sendable {
    public let position: Int
    public let holder: AddressHolder
    public let wasUnlinked: Bool
  }

  public static let statement = Statement<[AddressQuestion], Found>(
    "find_address_holders",
    """
    select q.position, u.id, u.status, u.profile, u.epoch::int8,
      case when q.is_enough and not x.was_unlinked then '{}' else array(
        select distinct n.provider from kith.identities i join kith.namespaces n on n.id = i.namespace_id
        where i.user_id = u.id order by n.provider
      ) end,
      x.was_unlinked
    from unnest($1::int4[], $2::text[], $3::text[], $4::bool[])
      with ordinality q (namespace_id, subject, canonical, is_enough, position)
    join kith.emails e on e.canonical = q.canonical and e.verified
    join kith.users u on u.id = e.user_id
    cross join lateral (
      select exists (
        select from kith.unlinked k
        where k.namespace_id = q.namespace_id and k.subject = q.subject and k.user_id = u.id
      ) as was_unlinked
    ) x
    """,
    encode: { questions, parameters in
      parameters.add(column: { $0.key.namespace }, of: questions)
      parameters.add(column: { $0.key.subject }, of: questions)
      parameters.add(column: { $0.address }, of: questions)
      parameters.add(column: { $0.isEnough }, of: questions)
    },
    decode: { row throws(PostgresError) in
      let position = try row.position()
      return Found(position: position, holder: try row.addressHolder(), wasUnlinked: try row.bool())
    })
}

extension RowReader {
  /// Id, status, profile, epoch and the providers of the identities.
  mutating func addressHolder() throws(PostgresError) -> AddressHolder {
    let user: UserID = try id()
    let status: UserStatus = try word()
    let profile = try ProfileText.read(try text())
    let epoch: Int64 = try integer()
    let providers = try texts().compactMap { Provider(rawValue: $0) }
    return AddressHolder(user: user, status: status, profile: profile, providers: providers, epoch: epoch)
  }
}
