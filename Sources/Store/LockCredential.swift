import Accounts
import Postgres

/// One place for a change: locked to the end of the transaction whether there is a credential or not, then its row.
public enum LockCredential {
  public struct Question: Sendable {
    public let place: CredentialPlace
    /// What the transaction must hold already, or nothing is locked: who is told that the same call is running need not wait
    /// until it is done.
    public let gate: AdvisoryLock?

    public init(place: CredentialPlace, gate: AdvisoryLock?) {
      self.place = place
      self.gate = gate
    }
  }

  /// A lock that the transaction holds can be taken once more.
  public static let place = Statement<Question, Void>(
    "lock_credential_place",
    """
    select pg_advisory_xact_lock($1::int8)
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
    """
  ) { question, parameters in
    parameters.add(AdvisoryLock.credential(question.place).name)
    parameters.add(question.gate?.name)
  }

  /// To be run in a statement of its own after the place was locked, so that it sees what was committed before. The row's
  /// lock is for those who drop what expired and take no places.
  public static let row = Statement<Question, StoredCredential>(
    "lock_credential",
    """
    select c.id, c.access_group, c.account, c.service, c.label, c.user_id, c.attributes, c.version, c.created_at,
      c.updated_at, c.expires_at, c.sealed,
      (select max(h.version) from kith.credential_history h where h.credential_id = c.id)
    from kith.credentials c
    where (select $4::int8 is null or pg_try_advisory_xact_lock($4::int8))
      and c.access_group = $1::text and c.account = $2::text and c.service = $3::text
    for update of c
    """,
    encode: { question, parameters in
      parameters.add(question.place.accessGroup)
      parameters.add(question.place.account)
      parameters.add(question.place.service)
      parameters.add(question.gate?.name)
    },
    decode: { row throws(PostgresError) in try StoredCredential(&row) })
}
