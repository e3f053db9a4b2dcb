import Accounts
import Postgres

/// Single steps in the life of a held registration.
public enum ChangeRegistration {
  /// The app's own step failed.
  public struct Failure: Sendable {
    public let registration: RegistrationID
    public let reason: ChangeReason
    /// How many have failed with this one.
    public let attempts: Int

    public init(registration: RegistrationID, reason: ChangeReason, attempts: Int) {
      self.registration = registration
      self.reason = reason
      self.attempts = attempts
    }
  }

  /// Held or completed, locked to the end of the transaction.
  ///
  /// - Note: the gate is that of ``LockUser``: who is told that the same call is running need not wait until it is done.
  public static let lock = Statement<(registration: RegistrationID, gate: AdvisoryLock?), StoredRegistration>(
    "lock_registration",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.registrations r join kith.namespaces n on n.id = r.namespace_id
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8)) and r.id = $1::uuid
    for no key update of r
    """,
    encode: { question, parameters in
      parameters.add(question.registration.unique)
      parameters.add(question.gate?.name)
    },
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })

  /// Counts an attempt.
  public static let fail = Statement<Failure, Void>(
    "fail_registration",
    "update kith.registrations set attempts = $3::int4, last_reason = $2::text where id = $1::uuid",
    encode: encode)

  /// Whether the failure that was told last is this one.
  public static let isFailed = Statement<Failure, Bool>(
    "registration_failed",
    """
    select exists (
      select from kith.registrations r
      where r.id = $1::uuid and r.last_reason = $2::text collate "C" and r.attempts = $3::int4
    )
    """,
    encode: encode, decode: { row throws(PostgresError) in try row.bool() })

  @Sendable
  private static func encode(_ failure: Failure, _ parameters: inout Parameters) {
    parameters.add(failure.registration.unique)
    parameters.add(failure.reason.text)
    parameters.add(Int32(clamping: failure.attempts))
  }

  /// Drops it with its details.
  public static let discard = Statement<RegistrationID, Void>(
    "discard_registration", "delete from kith.registrations where id = $1::uuid and user_id is null"
  ) { registration, parameters in parameters.add(registration.unique) }

  /// Whether it is gone.
  public static let isDiscarded = Statement<RegistrationID, Bool>(
    "registration_discarded", "select not exists (select from kith.registrations r where r.id = $1::uuid)",
    encode: { registration, parameters in parameters.add(registration.unique) },
    decode: { row throws(PostgresError) in try row.bool() })

  /// Drops those of which somebody has found that they have expired, and tells each.
  public static let dropExpired = Statement<(registrations: [RegistrationID], at: Timestamp), Void>(
    "drop_expired_registrations",
    """
    with expired as (
      delete from kith.registrations r where r.id = any ($1::uuid[]) and r.completed_at is null
      returning r.id, r.namespace_id
    )
    insert into kith.events (id, type, at, data)
    select gen_random_uuid(), 'registration.expired', $2::timestamptz,
      json_build_object('registration_id', e.id, 'provider', n.provider, 'tenant', n.tenant)
    from expired e join kith.namespaces n on n.id = e.namespace_id
    """
  ) { question, parameters in
    parameters.add(column: { $0.unique }, of: question.registrations)
    parameters.add(question.at)
  }

  /// Drops those that expired before a moment, the oldest first, and tells each.
  public static let expire = Statement<DropExpired.Batch, Void>(
    "expire_registrations",
    """
    with expired as (
      delete from kith.registrations r where r.id = any (array(
        select e.id from kith.registrations e where e.completed_at is null and e.expires_at < $1::timestamptz
        order by e.expires_at limit $2::int4
        for update skip locked
      ))
      returning r.id, r.namespace_id
    )
    insert into kith.events (id, type, at, data)
    select gen_random_uuid(), 'registration.expired', $1::timestamptz,
      json_build_object('registration_id', e.id, 'provider', n.provider, 'tenant', n.tenant)
    from expired e join kith.namespaces n on n.id = e.namespace_id
    """,
    encode: DropExpired.encode)
}
