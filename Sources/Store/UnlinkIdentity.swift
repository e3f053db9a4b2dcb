import Accounts
import Postgres

/// Takes an identity off its user.
public enum UnlinkIdentity {
  public struct Question: Sendable {
    /// Also a former id: the survivor's identity is meant then.
    public let user: UserID
    public let identity: IdentityID

    public init(user: UserID, identity: IdentityID) {
      self.user = user
      self.identity = identity
    }
  }

  public struct Found: Sendable {
    public let identity: IdentityID
    public let key: StoredKey
    public let namespace: Namespace
    public let user: UserID
    /// What the user would have left to sign in with.
    public let left: SignInWays
  }

  /// An identity of the user; to be read once the user is locked.
  public static let find = Statement<Question, Found>(
    "find_identity_to_unlink",
    """
    select i.id, i.namespace_id, n.provider, n.tenant, i.subject, i.user_id,
      exists (
        select from kith.identities o join kith.namespaces m on m.id = o.namespace_id
        where o.user_id = i.user_id and o.id <> i.id and m.provider <> 'password'
      ),
      exists (
        select from kith.identities o join kith.namespaces m on m.id = o.namespace_id
        where o.user_id = i.user_id and o.id <> i.id and m.provider = 'password'
      ),
      exists (
        select from kith.emails e
        where e.user_id = i.user_id and (e.vouched_by_token or array_remove(e.vouched_by, i.id) <> '{}')
      )
    from kith.identities i join kith.namespaces n on n.id = i.namespace_id
    where i.id = $2::uuid
      and i.user_id = (select coalesce(u.merged_into, u.id) from kith.users u where u.id = $1::uuid)
    """,
    encode: { question, parameters in
      parameters.add(question.user.unique)
      parameters.add(question.identity.unique)
    },
    decode: { row throws(PostgresError) in
      let identity: IdentityID = try row.id()
      let number: Int32 = try row.integer()
      let key = try row.identity()
      return Found(
        identity: identity, key: StoredKey(namespace: number, subject: key.subject), namespace: key.namespace,
        user: try row.id(),
        left: SignInWays(
          hasProvider: try row.bool(), hasPassword: try row.bool(), hasVerifiedAddress: try row.bool()))
    })

  public struct Record: Sendable {
    public let identity: IdentityID
    public let key: StoredKey
    public let user: UserID
    public let at: Timestamp
    public let caller: CallerName

    public init(identity: IdentityID, key: StoredKey, user: UserID, at: Timestamp, caller: CallerName) {
      self.identity = identity
      self.key = key
      self.user = user
      self.at = at
      self.caller = caller
    }
  }

  /// The identity goes, and a mark stays that keeps it from being attached to the user by itself again.
  ///
  /// If merges brought it that stand, all is left as if it had been unlinked before them: it was taken off whose it had been,
  /// and their marks came along. So it stays unlinked from them after an undo, and the survivor keeps nothing of it.
  public static let statement = Statement<Record, Void>(
    "unlink_identity",
    """
    with gone as (
      delete from kith.identities where id = $1::uuid
    ), brought as (
      select m.id, m.seq, m.survivor, m.absorbed from kith.merged_identities j
      cross join lateral (select m.* from kith.merges m where m.id = j.merge_id and m.state = 'done' offset 0) m
      where j.identity_id = $1::uuid
    )
    insert into kith.unlinked (namespace_id, subject, user_id, at, by_merge)
    select $2::int4, $3::text, coalesce((select b.absorbed from brought b order by b.seq limit 1), $4::uuid),
      $5::timestamptz, null::uuid
    union all
    select $2::int4, $3::text, b.survivor, $5::timestamptz, b.id from brought b
    on conflict (namespace_id, subject, user_id) do update set at = excluded.at, by_merge = null
    where excluded.by_merge is null
    """
  ) { record, parameters in
    parameters.add(record.identity.unique)
    parameters.add(record.key.namespace)
    parameters.add(record.key.subject)
    parameters.add(record.user.unique)
    parameters.add(record.at)
  }

  /// It vouches for none of the user's addresses any more; each that loses its last source is told.
  public static let stopVouching = Statement<Record, Void>(
    "stop_vouching_for_all",
    """
    with stopped as (
      update kith.emails set vouched_by = array_remove(vouched_by, $1::uuid)
      where user_id = $2::uuid and $1::uuid = any (vouched_by)
      returning user_id, canonical, verified
    )
    insert into kith.events (id, type, at, user_id, caller, data)
    select gen_random_uuid(), 'email.unverified', $3::timestamptz, user_id, $4::text,
      json_build_object('email', canonical)
    from stopped where not verified order by canonical
    """
  ) { record, parameters in
    parameters.add(record.identity.unique)
    parameters.add(record.user.unique)
    parameters.add(record.at)
    parameters.add(record.caller.text)
  }
}

/// Identities that are attached to users on somebody's word: what kept them from being attached by themselves is over.
public enum TakeBackUnlinkings {
  public struct Record: Sendable {
    public let key: StoredKey
    public let user: UserID

    public init(key: StoredKey, user: UserID) {
      self.key = key
      self.user = user
    }
  }

  public static let statement = Statement<[Record], Void>(
    "take_back_unlinkings",
    """
    delete from kith.unlinked k using unnest($1::int4[], $2::text[], $3::uuid[]) l (namespace_id, subject, user_id)
    where k.namespace_id = l.namespace_id and k.subject = l.subject and k.user_id = l.user_id
    """
  ) { records, parameters in
    parameters.add(column: { $0.key.namespace }, of: records)
    parameters.add(column: { $0.key.subject }, of: records)
    parameters.add(column: { $0.user.unique }, of: records)
  }
}

/// A user comes under a new epoch: challenges and tokens made before are dead.
public enum BeginEpoch {
  public static let statement = Statement<UserID, Void>(
    "begin_epoch", "update kith.users set epoch = epoch + 1 where id = $1::uuid"
  ) { user, parameters in parameters.add(user.unique) }
}
