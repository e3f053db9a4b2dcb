import Accounts
import Postgres

/// Credentials that go from one user to another, as a merge or its undo has them.
public enum MoveCredentials {
  /// Which are meant.
  public enum Extent: Sendable {
    /// All of a user.
    case all(of: UserID)
    /// Those that came to a user with a merge and are still theirs.
    case came(with: MergeID, to: UserID)

    fileprivate var user: UserID {
      switch self {
      case .all(let user), .came(_, let user): user
      }
    }

    fileprivate var merge: MergeID? {
      switch self {
      case .all: nil
      case .came(let merge, _): merge
      }
    }
  }

  public typealias Found = (id: CredentialID, place: CredentialPlace)

  /// Their places, without locking anything.
  public static let places = Statement<(extent: Extent, limit: Int32), Found>(
    "places_of_moving_credentials",
    """
    select c.id, c.access_group, c.account, c.service from kith.credentials c
    where c.user_id = $1::uuid and ($2::uuid is null or exists (
      select from kith.merged_credentials j where j.merge_id = $2::uuid and j.credential_id = c.id
    ))
    order by c.access_group, c.account, c.service limit $3::int4
    """,
    encode: { input, parameters in
      parameters.add(input.extent.user.unique)
      parameters.add(input.extent.merge?.unique)
      parameters.add(input.limit)
    },
    decode: { row throws(PostgresError) in
      (
        try row.id(),
        CredentialPlace(
          accessGroup: try row.exactText(), account: try row.exactText(), service: try row.exactText())
      )
    })

  public struct LockQuestion: Sendable {
    public let places: [CredentialPlace]
    /// What the transaction must hold already, or nothing is locked.
    public let gate: AdvisoryLock?

    public init(places: [CredentialPlace], gate: AdvisoryLock?) {
      self.places = places
      self.gate = gate
    }
  }

  /// Waits for the places, in the order that is the same for everybody.
  public static let lock = Statement<LockQuestion, Void>(
    "lock_credential_places",
    """
    select pg_advisory_xact_lock(l.name) from unnest($1::int8[]) l (name)
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
    """
  ) { question, parameters in
    parameters.add(column: { $0.name }, of: question.places.map { AdvisoryLock.credential($0) }.sorted())
    parameters.add(question.gate?.name)
  }

  public struct Batch: Sendable {
    public let ids: [CredentialID]
    /// What is read at once, though at least one.
    public let bytesMax: Int64

    public init(ids: [CredentialID], bytesMax: Int64) {
      self.ids = ids
      self.bytesMax = bytesMax
    }
  }

  /// The first of these that are still there, locked; their places are locked already. The rows' locks are for those who drop
  /// what expired and take no places.
  public static let read = Statement<Batch, StoredCredential>(
    "read_moving_credentials",
    """
    select b.id, b.access_group, b.account, b.service, b.label, b.user_id, b.attributes, b.version, b.created_at,
      b.updated_at, b.expires_at, b.sealed,
      (select max(h.version) from kith.credential_history h where h.credential_id = b.id)
    from (
      select l.*, sum(octet_length(l.sealed)) over (order by l.id) - octet_length(l.sealed) as bytes_before from (
        select c.* from kith.credentials c where c.id = any ($1::uuid[]) order by c.id for no key update
      ) l
    ) b where b.bytes_before < $2::int8 order by b.id
    """,
    encode: { batch, parameters in
      parameters.add(column: { $0.unique }, of: batch.ids)
      parameters.add(batch.bytesMax)
    },
    decode: { row throws(PostgresError) in try StoredCredential(&row) })

  /// The same without locking, for who only wants to know whether they open.
  public static let peek = Statement<Batch, StoredCredential>(
    "peek_at_moving_credentials",
    """
    select b.id, b.access_group, b.account, b.service, b.label, b.user_id, b.attributes, b.version, b.created_at,
      b.updated_at, b.expires_at, b.sealed,
      (select max(h.version) from kith.credential_history h where h.credential_id = b.id)
    from (
      select c.*, sum(octet_length(c.sealed)) over (order by c.id) - octet_length(c.sealed) as bytes_before
      from kith.credentials c where c.id = any ($1::uuid[])
    ) b where b.bytes_before < $2::int8 order by b.id
    """,
    encode: { batch, parameters in
      parameters.add(column: { $0.unique }, of: batch.ids)
      parameters.add(batch.bytesMax)
    },
    decode: { row throws(PostgresError) in try StoredCredential(&row) })

  /// Writes which came with a merge.
  public static let keep = Statement<(merge: MergeID, credentials: [CredentialID]), Void>(
    "keep_moved_credentials",
    """
    insert into kith.merged_credentials (merge_id, credential_id) select $1::uuid, c.id from unnest($2::uuid[]) c (id)
    """
  ) { input, parameters in
    parameters.add(input.merge.unique)
    parameters.add(column: { $0.unique }, of: input.credentials)
  }
}
