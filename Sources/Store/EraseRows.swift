import Accounts
import Postgres

/// What goes when users are erased, and how what tells of them is found.
///
/// Each is a statement of its own, because each reads what the one before left.
public enum EraseRows {
  public struct Input: Sendable {
    /// The user and all of their former ids.
    public let users: [UserID]
    public let at: Timestamp

    public init(users: [UserID], at: Timestamp) {
      self.users = users
      self.at = at
    }
  }

  public typealias Identity = (key: StoredKey, identity: IdentityKey)

  /// The identities that are released.
  public static let identities = Statement<[UserID], Identity>(
    "identities_to_release",
    """
    select i.namespace_id, n.provider, n.tenant, i.subject
    from kith.identities i join kith.namespaces n on n.id = i.namespace_id where i.user_id = any ($1::uuid[])
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try identity(&row) })

  /// The identities that were taken off the users before.
  public static let unlinked = Statement<[UserID], Identity>(
    "identities_taken_off_before",
    """
    select k.namespace_id, n.provider, n.tenant, k.subject
    from kith.unlinked k join kith.namespaces n on n.id = k.namespace_id where k.user_id = any ($1::uuid[])
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try identity(&row) })

  private static func identity(_ row: inout RowReader) throws(PostgresError) -> Identity {
    let namespace = try row.integer(Int32.self)
    let identity = try row.identity()
    return (StoredKey(namespace: namespace, subject: identity.subject), identity)
  }

  /// Adds all but the answers, and gives back where the places of credentials will be found that were theirs.
  public static func add(_ input: Input, to pipeline: inout Pipeline) -> Pipeline.Slot<CredentialPlace> {
    let users = input.users
    pipeline.add(heldRegistrations, users)
    pipeline.add(completedRegistrations, users)
    pipeline.add(challenges, users)
    pipeline.add(deleteIdentities, users)
    pipeline.add(emails, users)
    pipeline.add(removals, users)
    pipeline.add(unlinkings, users)
    pipeline.add(credentials, users)
    pipeline.add(markErased, input)
    return pipeline.add(forget, users)
  }

  private static let heldRegistrations = Statement<[UserID], Void>(
    "erase_held_registrations",
    """
    delete from kith.registrations r where r.id = any (array(
      select h.id from kith.identities i
      cross join lateral (
        select h.id from kith.registrations h
        where h.namespace_id = i.namespace_id and h.subject = i.subject and h.user_id is null limit 1
      ) h
      where i.user_id = any ($1::uuid[])
    ))
    """, encode: encode)

  private static let completedRegistrations = Statement<[UserID], Void>(
    "erase_completed_registrations", "delete from kith.registrations r where r.user_id = any ($1::uuid[])",
    encode: encode)

  /// Those that ask about the users' identities, or whether somebody is one of them. Locked in the order of the ids, as by
  /// everybody: of two users who are erased at once one may be the candidate of the other's.
  private static let challenges = Statement<[UserID], Void>(
    "erase_challenges",
    """
    with found as (
      select c.id from kith.challenges c where c.candidates && $1::uuid[]
      union
      select a.id from kith.identities i
      cross join lateral (
        select c.id from kith.challenges c where c.namespace_id = i.namespace_id and c.subject = i.subject offset 0
      ) a
      where i.user_id = any ($1::uuid[])
    ), locked as materialized (
      select c.id from kith.challenges c where c.id in (select f.id from found f) order by c.id for update
    )
    delete from kith.challenges c using locked l where c.id = l.id
    """, encode: encode)

  /// With when they signed in last.
  private static let deleteIdentities = Statement<[UserID], Void>(
    "erase_identities", "delete from kith.identities i where i.user_id = any ($1::uuid[])", encode: encode)

  /// With their tokens.
  private static let emails = Statement<[UserID], Void>(
    "erase_emails", "delete from kith.emails e where e.user_id = any ($1::uuid[])", encode: encode)

  private static let removals = Statement<[UserID], Void>(
    "erase_removals", "delete from kith.removed_emails r where r.user_id = any ($1::uuid[])", encode: encode)

  private static let unlinkings = Statement<[UserID], Void>(
    "erase_unlinkings", "delete from kith.unlinked k where k.user_id = any ($1::uuid[])", encode: encode)

  private static let credentials = Statement<[UserID], Void>(
    "erase_credentials", "delete from kith.credentials c where c.user_id = any ($1::uuid[])", encode: encode)

  /// Who had been merged still leads to the survivor.
  private static let markErased = Statement<Input, Void>(
    "mark_erased",
    """
    update kith.users u set status = 'erased', epoch = u.epoch + 1, profile = '{}', search_name = '', match_name = '',
      match_birthday = '', disabled_reason = null, disabled_by_merge = null, updated_at = $2::timestamptz
    where u.id = any ($1::uuid[])
    """
  ) { input, parameters in
    encode(input.users, &parameters)
    parameters.add(input.at)
  }

  /// After the credentials, so that what is done to one meanwhile is over and seen.
  private static let forget = Statement<[UserID], CredentialPlace>(
    "forget_users", "select p.access_group, p.account, p.service from kith.forget_users($1::uuid[]) p",
    encode: encode,
    decode: { row throws(PostgresError) in
      CredentialPlace(accessGroup: try row.exactText(), account: try row.exactText(), service: try row.exactText())
    })

  /// Which answers tell of erased users.
  public struct Telling: Sendable {
    let users: [UserID]
    let about: [AdvisoryLock]
    let aboutUnlinked: [AdvisoryLock]

    /// - Parameters:
    ///   - about: the locks on their identities and on the places of their credentials.
    ///   - aboutUnlinked: those on identities that were taken off them, of which somebody else may be told by now.
    public init(users: [UserID], about: [AdvisoryLock], aboutUnlinked: [AdvisoryLock]) {
      self.users = users
      self.about = about
      self.aboutUnlinked = aboutUnlinked
    }
  }

  /// Answers kept under request keys that tell of the users, of their identities, or of their credentials; and those that
  /// tell of nobody's user what was said with an identity that was theirs once.
  public static let answers = Statement<Telling, Void>(
    "erase_answers",
    """
    delete from kith.request_keys a
    where a.user_id = any ($1::uuid[]) or a.about = any ($2::int8[]) or (a.about = any ($3::int8[]) and a.user_id is null)
    """
  ) { telling, parameters in
    encode(telling.users, &parameters)
    parameters.add(column: { $0.name }, of: telling.about)
    parameters.add(column: { $0.name }, of: telling.aboutUnlinked)
  }

  /// Answers that tell of those with whom the users were one for a while, from that while: they may tell of either, and by
  /// whichever id was asked for.
  public static let answersFromWhiles = Statement<[UserID], Void>(
    "erase_answers_from_whiles",
    """
    with recursive whiles as (
      select case when m.absorbed = any ($1::uuid[]) then m.survivor else m.absorbed end as user_id, m.at, m.undone_at
      from kith.merges m
      where (m.absorbed = any ($1::uuid[]) or m.survivor = any ($1::uuid[])) and m.state = 'undone'
      union
      select case when m.absorbed = w.user_id then m.survivor else m.absorbed end, greatest(m.at, w.at),
        least(m.undone_at, w.undone_at)
      from whiles w
      cross join lateral (
        select m.* from kith.merges m where m.absorbed = w.user_id or m.survivor = w.user_id offset 0
      ) m
      where m.at <= w.undone_at and (m.undone_at is null or m.undone_at >= w.at)
    )
    delete from kith.request_keys a
    where a.user_id = any (array(select w.user_id from whiles w)) and exists (
      select from whiles w where w.user_id = a.user_id and a.created_at between w.at and w.undone_at
    )
    """, encode: encode)

  @Sendable
  private static func encode(_ users: [UserID], _ parameters: inout Parameters) {
    parameters.add(column: { $0.unique }, of: users)
  }
}
