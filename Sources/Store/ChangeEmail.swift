import Accounts
import Postgres

/// Single steps in the life of one address of one user.
public enum ChangeEmail {
  public struct Question: Sendable {
    /// Also a former id: the survivor's address is meant then.
    public let user: UserID
    /// The canonical address.
    public let address: ExactText

    public init(user: UserID, address: ExactText) {
      self.user = user
      self.address = address
    }
  }

  /// How the address stands; to be read once the address and the user are locked.
  public struct Found: Sendable {
    /// Nil where the user does not have it.
    public let email: EmailRecord?
    /// Whether somebody else holds it as verified.
    public let isHeldElsewhere: Bool
    public let epoch: Int64
    /// What the user would have to sign in with if they did not hold this address.
    public let waysWithout: SignInWays
    /// The token that was given out last, if it was not replaced or dropped.
    public let token: Token?
  }

  /// A token by its hash.
  public struct Token: Sendable {
    public let digest: [UInt8]
    public let epoch: Int64
    public let expiresAt: Timestamp
    public let usedAt: Timestamp?
  }

  public static let find = Statement<Question, Found>(
    "find_email",
    """
    select
      exists (select from kith.emails h where h.canonical = $2::text and h.verified and h.user_id <> u.id),
      u.epoch::int8,
      exists (
        select from kith.identities i join kith.namespaces n on n.id = i.namespace_id
        where i.user_id = u.id and n.provider <> 'password'
      ),
      exists (
        select from kith.identities i join kith.namespaces n on n.id = i.namespace_id
        where i.user_id = u.id and n.provider = 'password'
      ),
      exists (select from kith.emails o where o.user_id = u.id and o.canonical <> $2::text and o.verified),
      t.token_sha256, t.epoch::int8, t.expires_at, t.used_at,
      e.user_id is not null, e.email, e.canonical, e.verified, e.vouched_by, e.vouched_by_token, e.added_at
    from kith.users u
    left join kith.emails e on e.user_id = u.id and e.canonical = $2::text
    left join kith.email_tokens t on t.user_id = e.user_id and t.canonical = e.canonical
    where u.id = (select coalesce(f.merged_into, f.id) from kith.users f where f.id = $1::uuid)
    """,
    encode: { question, parameters in
      parameters.add(question.user.unique)
      parameters.add(question.address)
    },
    decode: { row throws(PostgresError) in
      let isHeldElsewhere = try row.bool()
      let epoch: Int64 = try row.integer()
      let ways = SignInWays(
        hasProvider: try row.bool(), hasPassword: try row.bool(), hasVerifiedAddress: try row.bool())
      let digest = try row.bytes().map { Array($0) }
      let madeUnder = try row.optionalInteger(Int64.self)
      let (expiresAt, usedAt) = (try row.optionalTimestamp(), try row.optionalTimestamp())
      var token: Token?
      if let digest, let madeUnder, let expiresAt {
        token = Token(digest: digest, epoch: madeUnder, expiresAt: expiresAt, usedAt: usedAt)
      }
      let email = try row.bool() ? try EmailRecord(&row) : nil
      return Found(
        email: email, isHeldElsewhere: isHeldElsewhere, epoch: epoch, waysWithout: ways, token: token)
    })

  /// A new token takes the place of the one before.
  public struct NewToken: Sendable {
    public let user: UserID
    public let address: ExactText
    public let digest: [UInt8]
    public let epoch: Int64
    public let expiresAt: Timestamp

    public init(user: UserID, address: ExactText, digest: [UInt8], epoch: Int64, expiresAt: Timestamp) {
      self.user = user
      self.address = address
      self.digest = digest
      self.epoch = epoch
      self.expiresAt = expiresAt
    }
  }

  public static let keepToken = Statement<NewToken, Void>(
    "keep_email_token",
    """
    insert into kith.email_tokens (user_id, canonical, token_sha256, epoch, expires_at)
    values ($1::uuid, $2::text, $3::bytea, $4::int8::int4, $5::timestamptz)
    on conflict (user_id, canonical) do update
    set token_sha256 = excluded.token_sha256, epoch = excluded.epoch, expires_at = excluded.expires_at, used_at = null
    """
  ) { token, parameters in
    parameters.add(token.user.unique)
    parameters.add(token.address)
    parameters.add(ByteString(token.digest))
    parameters.add(token.epoch)
    parameters.add(token.expiresAt)
  }

  /// A token that came back.
  public struct UsedToken: Hashable, Sendable {
    public let user: UserID
    public let address: ExactText
    public let at: Timestamp

    public init(user: UserID, address: ExactText, at: Timestamp) {
      self.user = user
      self.address = address
      self.at = at
    }
  }

  /// The token vouches for the address from now on, and cannot be used again.
  public static let verify = Statement<UsedToken, Void>(
    "verify_email",
    """
    with used as (
      update kith.email_tokens set used_at = $3::timestamptz where user_id = $1::uuid and canonical = $2::text
    )
    update kith.emails set vouched_by_token = true where user_id = $1::uuid and canonical = $2::text
    """,
    encode: encode)

  /// Whether a token was used at that very moment.
  public static let isVerified = Statement<UsedToken, Bool>(
    "email_verified",
    """
    select exists (
      select from kith.email_tokens t
      where t.user_id = $1::uuid and t.canonical = $2::text and t.used_at = $3::timestamptz
    )
    """,
    encode: encode, decode: { row throws(PostgresError) in try row.bool() })

  /// Whether there is a token with this hash.
  public static let isTokenKept = Statement<NewToken, Bool>(
    "email_token_kept",
    """
    select exists (
      select from kith.email_tokens t
      where t.user_id = $1::uuid and t.canonical = $2::text and t.token_sha256 = $3::bytea
    )
    """,
    encode: { token, parameters in
      parameters.add(token.user.unique)
      parameters.add(token.address)
      parameters.add(ByteString(token.digest))
    },
    decode: { row throws(PostgresError) in try row.bool() })

  @Sendable
  private static func encode(_ used: UsedToken, _ parameters: inout Parameters) {
    parameters.add(used.user.unique)
    parameters.add(used.address)
    parameters.add(used.at)
  }
}
