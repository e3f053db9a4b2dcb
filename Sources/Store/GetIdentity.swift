import Accounts
import Postgres

/// One identity.
public enum GetIdentity {
  public static let byID = Statement<IdentityID, IdentityRecord>(
    "get_identity",
    """
    select i.id, n.provider, n.tenant, i.subject, i.user_id, i.email, i.email_verified, i.linked_at, i.linked_by,
      coalesce(l.at, case when i.linked_by in ('register', 'email', 'confirm') then i.linked_at end)
    from kith.identities i join kith.namespaces n on n.id = i.namespace_id
    left join kith.last_sign_ins l on l.identity_id = i.id
    where i.id = $1::uuid
    """,
    encode: { identity, parameters in parameters.add(identity.unique) },
    decode: { row throws(PostgresError) in try IdentityRecord(&row) })

  public static let byKey = Statement<StoredKey, IdentityRecord>(
    "get_identity_by_key",
    """
    select i.id, n.provider, n.tenant, i.subject, i.user_id, i.email, i.email_verified, i.linked_at, i.linked_by,
      coalesce(l.at, case when i.linked_by in ('register', 'email', 'confirm') then i.linked_at end)
    from kith.identities i join kith.namespaces n on n.id = i.namespace_id
    left join kith.last_sign_ins l on l.identity_id = i.id
    where i.namespace_id = $1::int4 and i.subject = $2::text
    """,
    encode: { key, parameters in
      parameters.add(key.namespace)
      parameters.add(key.subject)
    },
    decode: { row throws(PostgresError) in try IdentityRecord(&row) })
}
