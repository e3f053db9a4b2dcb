import Accounts
import Postgres

/// What is held about a person, beside what ``GetUser``, ``ListEmails`` and ``ListIdentities`` read: of a user and everybody
/// merged into them.
///
/// Most of it is given as JSON just as it is told, because nobody in between has anything to decide about it. What is theirs is
/// found by their ids first, and then put in order: in the order of all rows, those of others would be read to pass them over.
public enum ExportRows {
  /// - Note: one row more than may be told shows that there is more.
  public struct Question: Sendable {
    /// A user who is not merged.
    public let user: UserID
    public let limit: Int32

    public init(user: UserID, limit: Int32) {
      self.user = user
      self.limit = limit
    }
  }

  /// A JSON array, and how many elements it has.
  public struct Part: Sendable {
    public let json: ExactText
    public let count: Int64
  }

  /// Who was merged into the user.
  public static let formerIDs = Statement<Question, UserID>(
    "export_former_ids",
    "select u.id from kith.users u where u.merged_into = $1::uuid order by u.id limit $2::int4",
    encode: encode,
    decode: { row throws(PostgresError) in try row.id() })

  /// Why the user is disabled, if they are and it was said.
  public static let disabledReason = Statement<Question, ExactText>(
    "export_disabled_reason",
    """
    select u.disabled_reason from kith.users u
    where u.id = $1::uuid and u.status = 'disabled' and u.disabled_reason is not null limit $2::int4
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try row.exactText() })

  /// When the user was changed last.
  public static let updatedAt = Statement<Question, Timestamp>(
    "export_updated_at", "select u.updated_at from kith.users u where u.id = $1::uuid limit $2::int4",
    encode: encode,
    decode: { row throws(PostgresError) in try row.timestamp() })

  public static let unlinked = part(
    "export_unlinked",
    """
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_build_object('provider', n.provider, 'tenant', n.tenant, 'subject', k.subject,
        'at', kith.wire_time(k.at)) as item
      from kith.unlinked k join kith.namespaces n on n.id = k.namespace_id where k.user_id = $1::uuid
      order by n.provider, n.tenant, k.subject limit $2::int4
    ) p
    """)

  public static let removedEmails = part(
    "export_removed_emails",
    """
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_build_object('canonical', r.canonical, 'at', kith.wire_time(r.at)) as item
      from kith.removed_emails r where r.user_id = $1::uuid order by r.canonical limit $2::int4
    ) p
    """)

  /// That there are tokens that may still prove something, and never what they are.
  public static let emailTokens = part(
    "export_email_tokens",
    """
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_build_object('canonical', t.canonical, 'expires_at', kith.wire_time(t.expires_at)) as item
      from kith.email_tokens t join kith.users u on u.id = t.user_id and u.epoch = t.epoch
      where t.user_id = $1::uuid and t.used_at is null
      order by t.canonical limit $2::int4
    ) p
    """)

  /// Without their secrets. The attributes come as they were given, nulls in them included.
  public static let credentials = part(
    "export_credentials",
    """
    with mine as materialized (
      select c.* from kith.credentials c where c.user_id = any (array(
        select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid
      ))
    )
    select coalesce('[' || string_agg(p.item, ',') || ']', '[]'), count(*) from (
      select left(json_strip_nulls(json_build_object('id', c.id, 'access_group', c.access_group, 'account', c.account,
          'service', c.service, 'label', c.label, 'created_at', kith.wire_time(c.created_at),
          'expires_at', kith.wire_time(c.expires_at)))::text, -1)
        || coalesce(',"attributes":' || c.attributes::text, '') || '}' as item
      from mine c
      order by c.access_group, c.account, c.service limit $2::int4
    ) p
    """)

  /// Those that were completed; the details went into the profile.
  public static let registrations = part(
    "export_registrations",
    """
    with mine as materialized (
      select r.* from kith.registrations r where r.user_id = any (array(
        select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid
      ))
    )
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_strip_nulls(json_build_object('id', r.id, 'provider', n.provider, 'tenant', n.tenant,
        'subject', r.subject, 'attempts', r.attempts, 'last_reason', r.last_reason,
        'held_at', kith.wire_time(r.held_at), 'completed_at', kith.wire_time(r.completed_at))) as item
      from mine r join kith.namespaces n on n.id = r.namespace_id
      order by r.id limit $2::int4
    ) p
    """)

  /// What is held of the user's identities.
  public static let heldRegistrations = Statement<Question, StoredRegistration>(
    "export_held_registrations",
    """
    select r.id, r.version, r.namespace_id, n.provider, n.tenant, r.subject, r.sealed, r.link, r.attempts,
      r.last_reason, r.held_at, r.said_at, r.email_said_at, r.expires_at, r.user_id
    from kith.identities i
    cross join lateral (
      select h.* from kith.registrations h
      where h.namespace_id = i.namespace_id and h.subject = i.subject and h.user_id is null limit 1
    ) r
    join kith.namespaces n on n.id = r.namespace_id
    where i.user_id = $1::uuid order by r.id limit $2::int4
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try StoredRegistration(&row) })

  /// In the order in which they are told: those that have no place yet come last. Each kind has an index of its own, so
  /// they are looked for one after the other. Those that an undo gave to somebody else are theirs, whoever they were told of.
  public static let events = part(
    "export_events",
    """
    with family as materialized (
      select array(select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid) as ids
    ), mine as materialized (
      select e.* from kith.events e
      where e.place is not null and e.user_id = any ((select f.ids from family f)::uuid[])
        and (e.belongs_to is null or e.belongs_to = any ((select f.ids from family f)::uuid[]))
      union all
      select e.* from kith.events e
      where e.place is null and e.user_id = any ((select f.ids from family f)::uuid[])
        and (e.belongs_to is null or e.belongs_to = any ((select f.ids from family f)::uuid[]))
      union all
      select e.* from kith.events e
      where e.belongs_to = any ((select f.ids from family f)::uuid[])
        and e.user_id <> all ((select f.ids from family f)::uuid[])
    )
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_strip_nulls(json_build_object('id', e.id, 'type', e.type, 'at', kith.wire_time(e.at),
        'user_id', e.user_id, 'caller', e.caller, 'data', e.data)) as item
      from mine e
      order by e.place nulls last, e.xid, e.seq limit $2::int4
    ) p
    """)

  /// Who was merged into the user, as they were: an undo gives that back to them. Profiles come as they were given.
  public static let formerUsers = part(
    "export_former_users",
    """
    select coalesce('[' || string_agg(p.item, ',') || ']', '[]'), count(*) from (
      select left(json_strip_nulls(json_build_object('id', u.id, 'disabled_reason', u.disabled_reason))::text, -1)
        || ',"profile":' || u.profile::text || '}' as item
      from kith.users u where u.merged_into = $1::uuid order by u.id limit $2::int4
    ) p
    """)

  /// With the addresses that moved, as they had been given; those of a merge that was undone are somebody else's again.
  public static let merges = part(
    "export_merges",
    """
    with family as materialized (
      select array(select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid) as ids
    ), mine as materialized (
      select m.* from kith.merges m
      where m.survivor = any ((select f.ids from family f)::uuid[])
        or m.absorbed = any ((select f.ids from family f)::uuid[])
    )
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_strip_nulls(json_build_object('merge_id', m.id, 'survivor', m.survivor, 'absorbed', m.absorbed,
        'state', m.state, 'reason', m.reason, 'by', m.caller, 'at', kith.wire_time(m.at),
        'undone_at', kith.wire_time(m.undone_at), 'undone_by', m.undone_by, 'undo_reason', m.undo_reason,
        'moved_emails', case m.state when 'done' then (
          select json_agg(j.email order by j.canonical) from kith.merged_emails j where j.merge_id = m.id
        ) end)) as item
      from mine m
      order by m.seq limit $2::int4
    ) p
    """)

  public static let audit = part(
    "export_audit",
    """
    with mine as materialized (
      select a.* from kith.audit a where a.user_id = any (array(
        select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid
      ))
    )
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_strip_nulls(json_build_object('seq', a.seq, 'at', kith.wire_time(a.at), 'caller', a.caller,
        'action', a.action, 'user_id', a.user_id, 'reason', a.reason, 'data', a.data)) as item
      from mine a
      order by a.seq limit $2::int4
    ) p
    """)

  /// What was done to credentials while they were the user's.
  public static let credentialHistory = part(
    "export_credential_history",
    """
    with mine as materialized (
      select h.* from kith.credential_history h where h.user_id = any (array(
        select $1::uuid union all select u.id from kith.users u where u.merged_into = $1::uuid
      ))
    )
    select coalesce(json_agg(p.item), '[]')::text, count(*) from (
      select json_strip_nulls(json_build_object('id', h.credential_id, 'version', h.version,
        'access_group', h.access_group, 'account', h.account, 'service', h.service, 'action', h.action,
        'at', kith.wire_time(h.at), 'caller', h.caller)) as item
      from mine h
      order by h.seq limit $2::int4
    ) p
    """)

  private static func part(_ name: String, _ sql: StaticString) -> Statement<Question, Part> {
    Statement<Question, Part>(
      name, sql, encode: encode,
      decode: { row throws(PostgresError) in Part(json: try row.exactText(), count: try row.integer()) })
  }

  @Sendable
  private static func encode(_ question: Question, _ parameters: inout Parameters) {
    parameters.add(question.user.unique)
    parameters.add(question.limit)
  }
}
