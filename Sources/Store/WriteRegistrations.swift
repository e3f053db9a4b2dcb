import Accounts
import Postgres
import Vault

/// Sealed details on their way to their rows.
public enum WriteRegistrations {
  public struct Record: Sendable {
    public let registration: RegistrationID
    public let key: StoredKey
    public let version: Int64
    public let sealed: SealedClaims
    public let link: SignInPolicy.Link
    public let caller: CallerName
    public let heldAt: Timestamp
    public let expiresAt: Timestamp

    public init(
      registration: RegistrationID, key: StoredKey, version: Int64, sealed: SealedClaims, link: SignInPolicy.Link,
      caller: CallerName, heldAt: Timestamp, expiresAt: Timestamp
    ) {
      self.registration = registration
      self.key = key
      self.version = version
      self.sealed = sealed
      self.link = link
      self.caller = caller
      self.heldAt = heldAt
      self.expiresAt = expiresAt
    }
  }

  /// Rows for identities for which nothing is held.
  public static let insert = Statement<[Record], Void>(
    "insert_registrations",
    """
    insert into kith.registrations (id, version, sealed, key_id, email_index, link, caller, expires_at, namespace_id,
      subject, held_at)
    select * from unnest($1::uuid[], $2::int8[], $3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::text[],
      $8::timestamptz[], $9::int4[], $10::text[], $11::timestamptz[])
    """
  ) { records, parameters in
    addSealed(records, to: &parameters)
    parameters.add(column: { $0.key.namespace }, of: records)
    parameters.add(column: { $0.key.subject }, of: records)
    parameters.add(column: { $0.heldAt }, of: records)
  }

  /// Other details in the place of those that are held.
  public static let reseal = Statement<[Record], Void>(
    "reseal_registrations",
    """
    update kith.registrations r set version = n.version, sealed = n.sealed, key_id = n.key_id,
      email_index = n.email_index, link = n.link, caller = n.caller, expires_at = n.expires_at
    from unnest($1::uuid[], $2::int8[], $3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::text[],
      $8::timestamptz[]) n (id, version, sealed, key_id, email_index, link, caller, expires_at)
    where r.id = n.id and r.user_id is null
    """
  ) { records, parameters in addSealed(records, to: &parameters) }

  @Sendable
  private static func addSealed(_ records: [Record], to parameters: inout Parameters) {
    parameters.add(column: { $0.registration.unique }, of: records)
    parameters.add(column: { $0.version }, of: records)
    parameters.add(column: { ByteString($0.sealed.record.bytes) }, of: records)
    parameters.add(column: { $0.sealed.record.keyID.text }, of: records)
    parameters.add(optional: { $0.sealed.emailIndex.map { ByteString($0.code) } }, of: records)
    parameters.add(column: { $0.link.rawValue }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
    parameters.add(column: { $0.expiresAt }, of: records)
  }
}

/// Registrations whose person is a user now: the details go, and who it is stays.
public enum CompleteRegistrations {
  public struct Record: Sendable {
    public let registration: RegistrationID
    public let user: UserID
    public let at: Timestamp

    public init(registration: RegistrationID, user: UserID, at: Timestamp) {
      self.registration = registration
      self.user = user
      self.at = at
    }
  }

  public static let statement = Statement<[Record], Void>(
    "complete_registrations",
    """
    update kith.registrations r set sealed = null, key_id = null, email_index = null, user_id = c.user_id,
      completed_at = c.at
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) c (id, user_id, at)
    where r.id = c.id and r.user_id is null
    """
  ) { records, parameters in
    parameters.add(column: { $0.registration.unique }, of: records)
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { $0.at }, of: records)
  }
}
