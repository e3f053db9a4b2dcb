import Accounts
import Postgres

/// Registrations by their identities or ids.
public enum FindRegistrations {
  /// Those that are held for identities, each locked to the end of the transaction, so that nobody completes or drops one
  /// meanwhile.
  ///
  /// One by one from the index, however few are held when PostgreSQL plans it: a join would read all that are held.
  public static let lockingByKey = Statement<[StoredKey], (position: Int, registration: StoredRegistration)>(
    "lock_registrations",
    """
    select k.position, r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from unnest($1::int4[], $2::text[]) with ordinality k (namespace_id, subject, position)
    cross join lateral (
      select * from kith.registrations h
      where h.namespace_id = k.namespace_id and h.subject = k.subject and h.user_id is null
      limit 1 for no key update
    ) r
    join kith.namespaces n on n.id = r.namespace_id
    """,
    encode: { keys, parameters in
      parameters.add(column: { $0.namespace }, of: keys)
      parameters.add(column: { $0.subject }, of: keys)
    },
    decode: { row throws(PostgresError) in (try row.position(), try StoredRegistration(&row)) })

  /// The one that is held for an identity.
  public static let byKey = Statement<StoredKey, StoredRegistration>(
    "find_registration_by_key",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.registrations r join kith.namespaces n on n.id = r.namespace_id
    where r.namespace_id = $1::int4 and r.subject = $2::text and r.user_id is null
    """,
    encode: { key, parameters in
      parameters.add(key.namespace)
      parameters.add(key.subject)
    },
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })

  /// Which of these are completed.
  public static let completed = Statement<[RegistrationID], Int>(
    "find_completed_registrations",
    """
    select k.position from unnest($1::uuid[]) with ordinality k (id, position)
    join kith.registrations r on r.id = k.id where r.user_id is not null
    """,
    encode: { registrations, parameters in parameters.add(column: { $0.unique }, of: registrations) },
    decode: { row throws(PostgresError) in try row.position() })

  /// Held or completed.
  public static let byID = Statement<RegistrationID, StoredRegistration>(
    "find_registration",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.registrations r join kith.namespaces n on n.id = r.namespace_id
    where r.id = $1::uuid
    """,
    encode: { registration, parameters in parameters.add(registration.unique) },
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })
}

extension StoredRegistration {
  /// Reads the columns that ``FindRegistrations`` and ``ListRegistrations`` select.
  init(_ row: inout RowReader) throws(PostgresError) {
    registration = try row.id()
    version = try row.integer()
    namespace = try row.integer()
    identity = try row.identity()
    let sealed = try row.bytes().map { Array($0) }
    link = try row.word()
    attempts = Int(try row.integer(Int32.self))
    lastReason = try row.optionalExactText()
    heldAt = try row.timestamp()
    saidAt = try row.timestamp()
    emailSaidAt = try row.optionalTimestamp()
    expiresAt = try row.timestamp()
    let user: UserID? = try row.optionalID()
    if let user { state = .completed(user) } else { state = .held(try row.require(sealed)) }
  }
}

extension RowReader {
  /// Provider, tenant and subject of who is held.
  mutating func identity() throws(PostgresError) -> IdentityKey {
    let provider = try word(Provider.self)
    guard let namespace = Namespace(provider, tenant: try exactText()), let subject = Subject(try text()) else {
      throw .unexpectedAnswer("a registration's identity is not one")
    }
    return IdentityKey(namespace, subject)
  }
}
