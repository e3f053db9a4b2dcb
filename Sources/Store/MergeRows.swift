import Accounts
import Postgres

/// What a merge moves, row by row, with what tells how it was before.
///
/// Each is a statement of its own, because each reads what the one before wrote.
public enum MergeRows {
  public struct Input: Sendable {
    public let merge: MergeID
    public let survivor: UserID
    public let absorbed: UserID
    /// The survivor's from now on.
    public let status: UserStatus
    /// Whether it was another before.
    public let becomesDisabled: Bool
    public let at: Timestamp

    public init(
      merge: MergeID, survivor: UserID, absorbed: UserID, status: UserStatus, becomesDisabled: Bool, at: Timestamp
    ) {
      self.merge = merge
      self.survivor = survivor
      self.absorbed = absorbed
      self.status = status
      self.becomesDisabled = becomesDisabled
      self.at = at
    }
  }

  /// Adds all of it. The merge itself must be there already.
  public static func add(_ input: Input, to pipeline: inout Pipeline) {
    pipeline.add(keepEmails, input)
    pipeline.add(survivor, input)
    pipeline.add(identities, input)
    pipeline.add(dropEmails, input.absorbed)
    pipeline.add(addEmails, input)
    pipeline.add(takeRemovals, input)
    pipeline.add(removals, input)
    pipeline.add(unlinked, input)
    pipeline.add(formerUsers, input)
    pipeline.add(absorbed, input)
  }

  /// Comes under a new epoch, and takes over that the absorbed user is disabled, and why.
  private static let survivor = Statement<Input, Void>(
    "merge_survivor",
    """
    update kith.users s set
      epoch = s.epoch + 1,
      status = $1::text,
      disabled_reason = case when $2::bool then a.disabled_reason else s.disabled_reason end,
      disabled_by_merge = case when $2::bool then $3::uuid else s.disabled_by_merge end,
      updated_at = $4::timestamptz
    from kith.users a where s.id = $5::uuid and a.id = $6::uuid
    """
  ) { input, parameters in
    parameters.add(input.status.rawValue)
    parameters.add(input.becomesDisabled)
    parameters.add(input.merge.unique)
    parameters.add(input.at)
    parameters.add(input.survivor.unique)
    parameters.add(input.absorbed.unique)
  }

  private static let identities = Statement<Input, Void>(
    "merge_identities",
    """
    with kept as (
      insert into kith.merged_identities (merge_id, identity_id, linked_by)
      select $1::uuid, i.id, i.linked_by from kith.identities i where i.user_id = $3::uuid
    )
    update kith.identities i set user_id = $2::uuid, user_status = $4::text, linked_by = 'merge'
    where i.user_id = $3::uuid
    """
  ) { input, parameters in
    encode(input, &parameters)
    parameters.add(input.status.rawValue)
  }

  /// While the survivor has only their own identities.
  private static let keepEmails = Statement<Input, Void>(
    "merge_keep_emails",
    """
    insert into kith.merged_emails (merge_id, canonical, email, added_at, vouched_by, vouched_by_token,
      survivor_added_at, survivor_vouched_by_token, survivor_removed_at, survivor_removed_by, survivor_reported)
    select $1::uuid, a.canonical, a.email, a.added_at, a.vouched_by, a.vouched_by_token, s.added_at, s.vouched_by_token,
      r.at, r.by_merge,
      exists (select from kith.identities i where i.user_id = $2::uuid and i.email_canonical = a.canonical)
    from kith.emails a
    left join kith.emails s on s.user_id = $2::uuid and s.canonical = a.canonical
    left join kith.removed_emails r on r.user_id = $2::uuid and r.canonical = a.canonical
    where a.user_id = $3::uuid
    """, encode: encode)

  /// Before the survivor gets them, because an address has one verified holder at every moment.
  private static let dropEmails = Statement<UserID, Void>(
    "merge_drop_emails", "delete from kith.emails e where e.user_id = $1::uuid"
  ) { user, parameters in parameters.add(user.unique) }

  /// An address of both has what vouches for either.
  private static let addEmails = Statement<Input, Void>(
    "merge_add_emails",
    """
    insert into kith.emails as s (user_id, canonical, email, added_at, vouched_by, vouched_by_token)
    select $2::uuid, j.canonical, j.email, j.added_at, j.vouched_by, j.vouched_by_token
    from kith.merged_emails j where j.merge_id = $1::uuid
    on conflict (user_id, canonical) do update set
      vouched_by = s.vouched_by || excluded.vouched_by,
      vouched_by_token = s.vouched_by_token or excluded.vouched_by_token
    """
  ) { input, parameters in
    parameters.add(input.merge.unique)
    parameters.add(input.survivor.unique)
  }

  /// What the survivor had removed and gets now is theirs again.
  private static let takeRemovals = Statement<Input, Void>(
    "merge_take_removals",
    """
    delete from kith.removed_emails r using kith.merged_emails j
    where j.merge_id = $1::uuid and r.user_id = $2::uuid and r.canonical = j.canonical
    """
  ) { input, parameters in
    parameters.add(input.merge.unique)
    parameters.add(input.survivor.unique)
  }

  /// Removed stays removed, now from the survivor; except what they have.
  private static let removals = Statement<Input, Void>(
    "merge_removals",
    """
    insert into kith.removed_emails (user_id, canonical, at, by_merge)
    select $2::uuid, r.canonical, r.at, $1::uuid from kith.removed_emails r
    where r.user_id = $3::uuid and not exists (
      select from kith.emails e where e.user_id = $2::uuid and e.canonical = r.canonical
    )
    on conflict do nothing
    """, encode: encode)

  /// Unlinked stays unlinked, now from the survivor; except what is theirs by now.
  private static let unlinked = Statement<Input, Void>(
    "merge_unlinked",
    """
    insert into kith.unlinked (namespace_id, subject, user_id, at, by_merge)
    select k.namespace_id, k.subject, $2::uuid, k.at, $1::uuid from kith.unlinked k
    where k.user_id = $3::uuid and not exists (
      select from kith.identities i
      where i.namespace_id = k.namespace_id and i.subject = k.subject and i.user_id = $2::uuid
    )
    on conflict do nothing
    """, encode: encode)

  /// Those who were merged into the absorbed user before lead to the survivor.
  private static let formerUsers = Statement<Input, Void>(
    "merge_former_users",
    """
    with kept as (
      insert into kith.merged_users (merge_id, user_id)
      select $1::uuid, u.id from kith.users u where u.merged_into = $3::uuid
    )
    update kith.users u set merged_into = $2::uuid where u.merged_into = $3::uuid
    """, encode: encode)

  /// The profile stays, for an undo.
  private static let absorbed = Statement<Input, Void>(
    "merge_absorbed",
    """
    update kith.users a set status = 'merged', merged_into = $1::uuid, epoch = a.epoch + 1, updated_at = $2::timestamptz
    where a.id = $3::uuid
    """
  ) { input, parameters in
    parameters.add(input.survivor.unique)
    parameters.add(input.at)
    parameters.add(input.absorbed.unique)
  }

  @Sendable
  private static func encode(_ input: Input, _ parameters: inout Parameters) {
    parameters.add(input.merge.unique)
    parameters.add(input.survivor.unique)
    parameters.add(input.absorbed.unique)
  }
}
