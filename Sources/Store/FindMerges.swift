import Accounts
import Postgres

/// Merges, whether done or undone.
public enum FindMerges {
  public static let byID = Statement<MergeID, MergeRecord>(
    "find_merge",
    """
    select m.id, m.survivor, m.absorbed, m.reason, m.caller, m.at, m.identities, m.emails, m.credentials,
      m.registrations, m.credentials_left, m.absorbed_status, m.filled, m.undone_at, m.undone_by, m.undo_reason
    from kith.merges m where m.id = $1::uuid
    """,
    encode: { id, parameters in parameters.add(id.unique) },
    decode: { row throws(PostgresError) in try MergeRecord(&row) })

  /// The one that carried a plan out, by the plan's SHA-256.
  public static let byPlan = Statement<[UInt8], MergeRecord>(
    "find_merge_by_plan",
    """
    select m.id, m.survivor, m.absorbed, m.reason, m.caller, m.at, m.identities, m.emails, m.credentials,
      m.registrations, m.credentials_left, m.absorbed_status, m.filled, m.undone_at, m.undone_by, m.undo_reason
    from kith.merges m where m.plan_sha256 = $1::bytea
    """,
    encode: { digest, parameters in parameters.add(ByteString(digest)) },
    decode: { row throws(PostgresError) in try MergeRecord(&row) })

  /// The merge that has to be undone before this one: the latest of its users, or the latest of that one's users in turn, until
  /// nothing stands in the way.
  public static let superseding = Statement<MergeID, MergeID>(
    "find_superseding_merge",
    """
    with recursive chain as (
      select m.id, m.seq, m.survivor, m.absorbed from kith.merges m where m.id = $1::uuid
      union all
      select l.id, l.seq, l.survivor, l.absorbed from chain c cross join lateral (
        select m.id, m.seq, m.survivor, m.absorbed from kith.merges m
        where m.state = 'done' and m.seq > c.seq
          and (m.survivor in (c.survivor, c.absorbed) or m.absorbed in (c.survivor, c.absorbed))
        order by m.seq desc limit 1
      ) l
    )
    select c.id from chain c where c.id <> $1::uuid order by c.seq desc limit 1
    """,
    encode: { id, parameters in parameters.add(id.unique) },
    decode: { row throws(PostgresError) in try row.id() })

  /// The identities that came with a merge, also those that are gone since.
  public static let identities = Statement<(merge: MergeID, limit: Int32), IdentityID>(
    "find_merged_identities",
    """
    select j.identity_id from kith.merged_identities j where j.merge_id = $1::uuid order by j.identity_id limit $2::int4
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// The users who had been merged into the absorbed one before.
  public static let formerUsers = Statement<(merge: MergeID, limit: Int32), UserID>(
    "find_merged_users",
    "select j.user_id from kith.merged_users j where j.merge_id = $1::uuid order by j.user_id limit $2::int4",
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// The addresses that came, as they had been given; none once it is undone, or one of the two users is erased.
  public static let emails = Statement<(merge: MergeID, limit: Int32), ExactText>(
    "find_merged_emails",
    "select j.email from kith.merged_emails j where j.merge_id = $1::uuid order by j.canonical limit $2::int4",
    encode: encode,
    decode: { row throws(PostgresError) in try row.exactText() })

  /// The credentials that came and are still there.
  public static let credentials = Statement<(merge: MergeID, limit: Int32), CredentialPlace>(
    "find_merged_credentials",
    """
    select c.access_group, c.account, c.service
    from kith.merged_credentials j join kith.credentials c on c.id = j.credential_id
    where j.merge_id = $1::uuid and (c.expires_at is null or c.expires_at > now())
    order by c.access_group, c.account, c.service limit $2::int4
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      CredentialPlace(
        accessGroup: try row.exactText(), account: try row.exactText(), service: try row.exactText())
    })

  /// The registrations that had become the absorbed user; they lead to the survivor as long as the merge stands.
  public static let registrations = Statement<(merge: MergeID, limit: Int32), RegistrationID>(
    "find_merged_registrations",
    """
    select r.id from kith.merges m join kith.registrations r on r.user_id = m.absorbed and r.completed_at <= m.at
    where m.id = $1::uuid order by r.id limit $2::int4
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  @Sendable
  private static func encode(_ part: (merge: MergeID, limit: Int32), _ parameters: inout Parameters) {
    parameters.add(part.merge.unique)
    parameters.add(part.limit)
  }
}
