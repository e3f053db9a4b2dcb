import Accounts
import Postgres
import Vault

/// Sealed details on their way to their rows.
public enum WriteRegistrations {
  public struct Record: Sendable {
    public let held: HeldRegistration
    public let key: StoredKey
    /// The details of ``held``.
    public let sealed: SealedClaims
    public let caller: CallerName

    public init(_ held: HeldRegistration, key: StoredKey, sealed: SealedClaims, caller: CallerName) {
      self.held = held
      self.key = key
      self.sealed = sealed
      self.caller = caller
    }
  }

  /// Rows for identities for which nothing is held.
  public static let insert = Statement<[Record], Void>(
    "insert_registrations",
    """
    insert into kith.registrations (id, said_at, email_said_at, expires_at, version, sealed, key_id, email_index, link,
      caller, namespace_id, subject, held_at)
    select * from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::int8[], $6::bytea[],
      $7::text[], $8::bytea[], $9::text[], $10::text[], $11::int4[], $12::text[], $13::timestamptz[])
    """
  ) { records, parameters in
    addTimes(records.map(\.held), to: &parameters)
    addSealed(records, to: &parameters)
    parameters.add(column: { $0.key.namespace }, of: records)
    parameters.add(column: { $0.key.subject }, of: records)
    parameters.add(column: { $0.held.heldAt }, of: records)
  }

  /// Other details in the place of those that are held.
  public static let reseal = Statement<[Record], Void>(
    "reseal_registrations",
    """
    update kith.registrations r set version = n.version, sealed = n.sealed, key_id = n.key_id,
      email_index = n.email_index, link = n.link, caller = n.caller, said_at = greatest(r.said_at, n.said_at),
      email_said_at = greatest(r.email_said_at, n.email_said_at), expires_at = n.expires_at
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::int8[], $6::bytea[],
        $7::text[], $8::bytea[], $9::text[], $10::text[])
      n (id, said_at, email_said_at, expires_at, version, sealed, key_id, email_index, link, caller)
    where r.id = n.id and r.user_id is null
    """
  ) { records, parameters in
    addTimes(records.map(\.held), to: &parameters)
    addSealed(records, to: &parameters)
  }

  /// The same details, said again.
  public static let renew = Statement<[HeldRegistration], Void>(
    "renew_registrations",
    """
    update kith.registrations r set said_at = greatest(r.said_at, n.said_at),
      email_said_at = greatest(r.email_said_at, n.email_said_at), expires_at = n.expires_at
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[])
      n (id, said_at, email_said_at, expires_at)
    where r.id = n.id and r.user_id is null
    """
  ) { held, parameters in addTimes(held, to: &parameters) }

  /// Which rows, and the times that a repeat changes. What was said last may have become known meanwhile without anything
  /// being sealed again, so rows keep the later time.
  @Sendable
  private static func addTimes(_ held: [HeldRegistration], to parameters: inout Parameters) {
    parameters.add(column: { $0.registration.unique }, of: held)
    parameters.add(column: { $0.saidAt }, of: held)
    parameters.add(optional: { $0.emailSaidAt }, of: held)
    parameters.add(column: { $0.expiresAt }, of: held)
  }

  @Sendable
  private static func addSealed(_ records: [Record], to parameters: inout Parameters) {
    parameters.add(column: { $0.held.version }, of: records)
    parameters.add(column: { ByteString($0.sealed.record.bytes) }, of: records)
    parameters.add(column: { $0.sealed.record.keyID.text }, of: records)
    parameters.add(optional: { $0.sealed.emailIndex.map { ByteString($0.code) } }, of: records)
    parameters.add(column: { $0.held.link.rawValue }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
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
