import Accounts
import Postgres

/// A user by what leads to them.
public enum FindUsers {
  /// Whose an identity is.
  public static let byIdentity = Statement<StoredKey, StoredUser>(
    "find_user_by_identity",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge
    from kith.identities i join kith.users u on u.id = i.user_id
    where i.namespace_id = $1::int4 and i.subject = $2::text
    """,
    encode: { key, parameters in
      parameters.add(key.namespace)
      parameters.add(key.subject)
    },
    decode: { row throws(PostgresError) in try StoredUser(&row) })

  /// Who holds a canonical address as verified.
  public static let byAddress = Statement<ExactText, StoredUser>(
    "find_user_by_address",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge
    from kith.emails e join kith.users u on u.id = e.user_id
    where e.canonical = $1::text and e.verified
    """,
    encode: { address, parameters in parameters.add(address) },
    decode: { row throws(PostgresError) in try StoredUser(&row) })
}
