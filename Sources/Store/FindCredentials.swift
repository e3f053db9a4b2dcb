import Accounts
import EventLoop
import Postgres

/// Credentials by their places, as many as are asked for at the time, each with the newest version that its history tells.
public enum FindCredentials {
  public static let statement = Statement<[CredentialPlace], (position: Int, found: StoredCredential)>(
    "find_credentials",
    """
    select k.position, c.id, c.access_group, c.account, c.service, c.label, c.user_id, c.attributes, c.version,
      c.created_at, c.updated_at, c.expires_at, c.sealed,
      (select max(h.version) from kith.credential_history h where h.credential_id = c.id)
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality k (access_group, account, service, position)
    cross join lateral (
      select * from kith.credentials s
      where s.access_group = k.access_group and s.account = k.account and s.service = k.service
      limit 1
    ) c
    """,
    encode: { places, parameters in
      parameters.add(column: { $0.accessGroup }, of: places)
      parameters.add(column: { $0.account }, of: places)
      parameters.add(column: { $0.service }, of: places)
    },
    decode: { row throws(PostgresError) in (try row.position(), try StoredCredential(&row)) })
}

/// Credentials for many callers at once.
public typealias CredentialLookup = GatheredLookup<CredentialPlace, StoredCredential>

extension CredentialLookup {
  /// Batches are smaller than those of identities, for one secret may have 64 KiB.
  public convenience init(on loop: EventLoop, from pool: Pool) {
    self.init(FindCredentials.statement, batchLookupsMax: 64, on: loop, from: pool)
  }
}
