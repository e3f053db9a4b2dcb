import Accounts
import Postgres

/// Removes what is sealed by keys that are lost for good, while no daemon serves the database.
public enum GiveUpSealed {
  /// What goes, and who says so.
  public struct Wish: Sendable {
    public let keys: [ExactText]
    public let caller: CallerName

    public init(keys: [ExactText], caller: CallerName) {
      self.keys = keys
      self.caller = caller
    }
  }

  /// How many connections daemons have to this database.
  public static let daemons = Statement<Void, Int>(
    "count_daemons",
    """
    select count(*) from pg_catalog.pg_stat_activity a
    where a.datname = current_database() and a.application_name = 'kithd'
    """
  ) { row throws(PostgresError) in Int(try row.integer(Int64.self)) }

  /// Lets nobody write anything sealed until the transaction ends: a daemon that somebody started meanwhile waits, and so
  /// no row and no user needs to be locked.
  public static let lock = Statement<Void, Void>(
    "lock_sealed_tables",
    "lock table kith.registrations, kith.credentials, kith.request_keys in share row exclusive mode"
  ) { _, _ in }

  /// How many rows went is the count of the statement's rows.
  public static func statement(_ kind: SealedKind) -> Statement<Wish, Void> {
    switch kind {
    case .registration: registrations
    case .credential: credentials
    case .keptAnswer: keptAnswers
    }
  }

  /// Held ones, each told as one that expired: its details are gone, and the person's next sign-in begins anew.
  private static let registrations = Statement<Wish, Void>(
    "give_up_registrations",
    """
    with lost as (
      delete from kith.registrations r where r.key_id = any ($1::text[]) returning r.id, r.namespace_id
    )
    insert into kith.events (id, type, at, caller, data)
    select gen_random_uuid(), 'registration.expired', now(), $2::text,
      json_build_object('registration_id', l.id, 'provider', n.provider, 'tenant', n.tenant)
    from lost l join kith.namespaces n on n.id = l.namespace_id
    """,
    encode: encode)

  /// Each told in the history, which stays.
  private static let credentials = Statement<Wish, Void>(
    "give_up_credentials",
    """
    with lost as (
      delete from kith.credentials c where c.key_id = any ($1::text[])
      returning c.id, c.version, c.access_group, c.account, c.service, c.user_id
    )
    insert into kith.credential_history (credential_id, version, access_group, account, service, action, at, caller,
      change_id, user_id)
    select l.id,
      greatest(l.version, (select max(h.version) from kith.credential_history h where h.credential_id = l.id)) + 1,
      l.access_group, l.account, l.service, 'delete', now(), $2::text, gen_random_uuid(), l.user_id
    from lost l
    """,
    encode: encode)

  /// A repeat of such a call is done anew.
  private static let keptAnswers = Statement<Wish, Void>(
    "give_up_answers", "delete from kith.request_keys a where a.key_id = any ($1::text[])"
  ) { wish, parameters in parameters.add(array: wish.keys) }

  @Sendable private static func encode(_ wish: Wish, _ parameters: inout Parameters) {
    parameters.add(array: wish.keys)
    parameters.add(wish.caller.text)
  }
}
