import Accounts
import Postgres

/// Addresses that users removed, so that no sign-in brings them back.
public enum RemovedAddresses {
  /// An address that comes with an identity.
  public struct Question: Sendable {
    public let key: StoredKey
    /// The canonical address.
    public let address: ExactText
    /// Whose the identity is to be; nil for the user who has it.
    public let user: UserID?

    public init(key: StoredKey, address: ExactText, user: UserID?) {
      self.key = key
      self.address = address
      self.user = user
    }
  }

  /// One address of one user.
  public struct Place: Sendable {
    public let user: UserID
    /// The canonical address.
    public let address: ExactText
    public let at: Timestamp

    public init(user: UserID, address: ExactText, at: Timestamp) {
      self.user = user
      self.address = address
      self.at = at
    }
  }

  /// The positions of those of which the address was removed. A former id stands for the survivor.
  public static let find = Statement<[Question], Int>(
    "find_removed_addresses",
    """
    select q.position
    from unnest($1::int4[], $2::text[], $3::text[], $4::uuid[])
      with ordinality q (namespace_id, subject, canonical, user_id, position)
    join kith.removed_emails r on r.canonical = q.canonical
      and r.user_id = coalesce(
        (select coalesce(u.merged_into, u.id) from kith.users u where u.id = q.user_id),
        (select i.user_id from kith.identities i where i.namespace_id = q.namespace_id and i.subject = q.subject))
    """,
    encode: { questions, parameters in
      parameters.add(column: { $0.key.namespace }, of: questions)
      parameters.add(column: { $0.key.subject }, of: questions)
      parameters.add(column: { $0.address }, of: questions)
      parameters.add(optional: { $0.user?.unique }, of: questions)
    },
    decode: { row throws(PostgresError) in try row.position() })

  /// Takes the address off the user, for as long as they do not add it again.
  public static let remove = Statement<Place, Void>(
    "remove_address",
    """
    with gone as (
      delete from kith.emails where user_id = $1::uuid and canonical = $2::text
    )
    insert into kith.removed_emails (user_id, canonical, at) values ($1::uuid, $2::text, $3::timestamptz)
    on conflict (user_id, canonical) do update set at = excluded.at, by_merge = null
    """
  ) { place, parameters in
    parameters.add(place.user.unique)
    parameters.add(place.address)
    parameters.add(place.at)
  }

  /// The user adds it again.
  public static let takeBack = Statement<Place, Void>(
    "take_back_removal",
    "delete from kith.removed_emails where user_id = $1::uuid and canonical = $2::text"
  ) { place, parameters in
    parameters.add(place.user.unique)
    parameters.add(place.address)
  }
}
