import Accounts
import Postgres

/// What the undo of a merge puts back, row by row.
public enum UnmergeRows {
  public struct Input: Sendable {
    public let merge: MergeID
    public let survivor: UserID
    public let absorbed: UserID
    /// The absorbed user's own.
    public let absorbedStatus: UserStatus
    /// Whether the merge had disabled the survivor, and nobody did so since.
    public let enablesSurvivor: Bool
    public let decision: UnmergeDecision
    public let at: Timestamp

    public init(
      merge: MergeID, survivor: UserID, absorbed: UserID, absorbedStatus: UserStatus, enablesSurvivor: Bool,
      decision: UnmergeDecision, at: Timestamp
    ) {
      self.merge = merge
      self.survivor = survivor
      self.absorbed = absorbed
      self.absorbedStatus = absorbedStatus
      self.enablesSurvivor = enablesSurvivor
      self.decision = decision
      self.at = at
    }
  }

  /// Adds all of it. The users come first, for an identity carries the status of its user; the merge must be undone already.
  public static func add(_ input: Input, to pipeline: inout Pipeline) {
    pipeline.add(absorbed, input)
    pipeline.add(survivor, input)
    pipeline.add(identities, input)
    pipeline.add(dropEmails, input)
    pipeline.add(reduceEmails, input)
    pipeline.add(partRemovals, input)
    pipeline.add(returnEmails, input)
    pipeline.add(dropRemovals, input.merge)
    pipeline.add(returnRemovals, input)
    pipeline.add(unlinked, input.merge)
    pipeline.add(formerUsers, input)
    pipeline.add(part, input.merge)
  }

  private static let absorbed = Statement<Input, Void>(
    "unmerge_absorbed",
    """
    update kith.users a set status = $1::text, merged_into = null, epoch = a.epoch + 1, updated_at = $2::timestamptz
    where a.id = $3::uuid
    """
  ) { input, parameters in
    parameters.add(input.absorbedStatus.rawValue)
    parameters.add(input.at)
    parameters.add(input.absorbed.unique)
  }

  private static let survivor = Statement<Input, Void>(
    "unmerge_survivor",
    """
    update kith.users s set
      epoch = s.epoch + 1,
      status = case when $1::bool then 'active' else s.status end,
      disabled_reason = case when $1::bool then null else s.disabled_reason end,
      disabled_by_merge = case when $1::bool then null else s.disabled_by_merge end,
      updated_at = $2::timestamptz
    where s.id = $3::uuid
    """
  ) { input, parameters in
    parameters.add(input.enablesSurvivor)
    parameters.add(input.at)
    parameters.add(input.survivor.unique)
  }

  private static let identities = Statement<Input, Void>(
    "unmerge_identities",
    """
    update kith.identities i set user_id = $1::uuid, user_status = $2::text, linked_by = j.linked_by
    from kith.merged_identities j
    where j.merge_id = $3::uuid and i.id = j.identity_id and i.user_id = $4::uuid
    """
  ) { input, parameters in
    parameters.add(input.absorbed.unique)
    parameters.add(input.absorbedStatus.rawValue)
    parameters.add(input.merge.unique)
    parameters.add(input.survivor.unique)
  }

  private static let dropEmails = Statement<Input, Void>(
    "unmerge_drop_emails",
    "delete from kith.emails e where e.user_id = $1::uuid and e.canonical = any ($2::text[])"
  ) { input, parameters in
    parameters.add(input.survivor.unique)
    parameters.add(array: input.decision.dropped)
  }

  private static let reduceEmails = Statement<Input, Void>(
    "unmerge_reduce_emails",
    """
    update kith.emails e set
      vouched_by = array(
        select v.id from unnest(e.vouched_by) with ordinality v (id, position) where v.id <> all ($2::uuid[])
        order by v.position
      ),
      vouched_by_token = r.vouched_by_token
    from unnest($3::text[], $4::bool[]) r (canonical, vouched_by_token)
    where e.user_id = $1::uuid and e.canonical = r.canonical
    """
  ) { input, parameters in
    parameters.add(input.survivor.unique)
    parameters.add(column: { $0.unique }, of: input.decision.identities)
    parameters.add(column: { $0.canonical }, of: input.decision.reduced)
    parameters.add(column: { $0.isProvedByToken }, of: input.decision.reduced)
  }

  /// What was removed while they were one stays removed from whose it was: from the absorbed user, if they had it or their
  /// identities have come to report it, and from the survivor, unless they never had it but by that.
  private static let partRemovals = Statement<Input, Void>(
    "unmerge_part_removals",
    """
    with removed as (
      select r.canonical, r.at,
        case when j.merge_id is null then p.survivor_had else j.survivor_added_at is not null or j.survivor_reported end
        or exists (
          select from kith.identities i where i.user_id = $2::uuid and i.email_canonical = r.canonical
        ) as is_own
      from kith.removed_emails r
      left join kith.merged_emails j on j.merge_id = $3::uuid and j.canonical = r.canonical
      left join kith.merged_reports p on p.merge_id = $3::uuid and p.canonical = r.canonical
      where r.user_id = $2::uuid and r.by_merge is null and (j.merge_id is not null or p.merge_id is not null)
    ), gone as (
      delete from kith.removed_emails r using removed x
      where r.user_id = $2::uuid and r.canonical = x.canonical and not x.is_own
    )
    insert into kith.removed_emails (user_id, canonical, at) select $1::uuid, x.canonical, x.at from removed x
    on conflict (user_id, canonical) do update set at = excluded.at, by_merge = null
    """
  ) { input, parameters in
    parameters.add(input.absorbed.unique)
    parameters.add(input.survivor.unique)
    parameters.add(input.merge.unique)
  }

  /// What vouches for them comes as pairs, since arrays of arrays have one length. What the absorbed user has removed stays
  /// removed, whatever was reported since.
  private static let returnEmails = Statement<Input, Void>(
    "unmerge_return_emails",
    """
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by_token, vouched_by)
    select $1::uuid, r.canonical, r.email, r.added_at, r.vouched_by_token, array(
      select v.id from unnest($6::text[], $7::uuid[]) with ordinality v (canonical, id, position)
      where v.canonical = r.canonical order by v.position
    )
    from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bool[]) r (canonical, email, added_at, vouched_by_token)
    where not exists (
      select from kith.removed_emails x where x.user_id = $1::uuid and x.canonical = r.canonical
    )
    """
  ) { input, parameters in
    let returned = input.decision.returned
    let vouchers = returned.flatMap { address in address.vouchers.map { (address.canonical, $0) } }
    parameters.add(input.absorbed.unique)
    parameters.add(column: { $0.canonical }, of: returned)
    parameters.add(column: { $0.email }, of: returned)
    parameters.add(column: { $0.addedAt }, of: returned)
    parameters.add(column: { $0.isProvedByToken }, of: returned)
    parameters.add(column: { $0.0 }, of: vouchers)
    parameters.add(column: { $0.1.unique }, of: vouchers)
  }

  private static let dropRemovals = Statement<MergeID, Void>(
    "unmerge_drop_removals", "delete from kith.removed_emails r where r.by_merge = $1::uuid"
  ) { merge, parameters in parameters.add(merge.unique) }

  /// What the survivor had removed before and does not keep is removed again.
  private static let returnRemovals = Statement<Input, Void>(
    "unmerge_return_removals",
    """
    insert into kith.removed_emails (user_id, canonical, at, by_merge)
    select $1::uuid, j.canonical, j.survivor_removed_at, j.survivor_removed_by from kith.merged_emails j
    where j.merge_id = $2::uuid and j.survivor_removed_at is not null and not exists (
      select from kith.emails e where e.user_id = $1::uuid and e.canonical = j.canonical
    )
    on conflict do nothing
    """
  ) { input, parameters in
    parameters.add(input.survivor.unique)
    parameters.add(input.merge.unique)
  }

  private static let unlinked = Statement<MergeID, Void>(
    "unmerge_unlinked", "delete from kith.unlinked k where k.by_merge = $1::uuid"
  ) { merge, parameters in parameters.add(merge.unique) }

  /// The end: what was told, and what is kept for an undo alone.
  private static let part = Statement<MergeID, Void>(
    "unmerge_part_users", "select kith.part_users($1::uuid)"
  ) { merge, parameters in parameters.add(merge.unique) }

  private static let formerUsers = Statement<Input, Void>(
    "unmerge_former_users",
    """
    update kith.users u set merged_into = $1::uuid from kith.merged_users j
    where j.merge_id = $2::uuid and u.id = j.user_id and u.merged_into = $3::uuid
    """
  ) { input, parameters in
    parameters.add(input.absorbed.unique)
    parameters.add(input.merge.unique)
    parameters.add(input.survivor.unique)
  }
}
