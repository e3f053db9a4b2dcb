import Accounts
import Postgres

/// A challenge as it is stored.
public struct StoredChallenge: Sendable {
  public let challenge: ChallengeID
  /// The number of the namespace.
  public let namespace: Int32
  public let identity: IdentityKey
  public let facts: ChallengeFacts
  public let usedAt: Timestamp?

  public var key: StoredKey { StoredKey(namespace: namespace, subject: identity.subject) }

  fileprivate init(_ row: inout RowReader) throws(PostgresError) {
    challenge = try row.id()
    namespace = try row.integer()
    identity = try row.identity()
    guard let caller = CallerName(try row.text()) else { throw .unexpectedAnswer("a challenge is nobody's") }
    let users = try row.uuids().map { UserID(UniqueID(high: $0.high, low: $0.low)) }
    let epochs = try row.texts().compactMap { Int64($0) }
    guard users.count == epochs.count else { throw .unexpectedAnswer("a candidate has no epoch") }
    let expiresAt = try row.timestamp()
    let wrongProofs = Int(try row.integer(Int32.self))
    usedAt = try row.optionalTimestamp()
    facts = ChallengeFacts(
      caller: caller, candidates: zip(users, epochs).map { ChallengeFacts.Candidate(user: $0, epoch: $1) },
      expiresAt: expiresAt, isUsed: usedAt != nil, wrongProofs: wrongProofs)
  }
}

/// Challenges by their ids.
public enum FindChallenges {
  public static let byID = Statement<ChallengeID, StoredChallenge>(
    "find_challenge",
    """
    select c.id, c.namespace_id, n.provider, n.tenant, c.subject, c.caller, c.candidates, c.candidate_epochs::text[],
      c.expires_at, c.attempts, c.used_at
    from kith.challenges c join kith.namespaces n on n.id = c.namespace_id
    where c.id = $1::uuid
    """,
    encode: { challenge, parameters in parameters.add(challenge.unique) },
    decode: { row throws(PostgresError) in try StoredChallenge(&row) })

  /// Locked to the end of the transaction, in the order of the ids.
  public static let locking = Statement<[ChallengeID], StoredChallenge>(
    "lock_challenges",
    """
    select c.id, c.namespace_id, n.provider, n.tenant, c.subject, c.caller, c.candidates, c.candidate_epochs::text[],
      c.expires_at, c.attempts, c.used_at
    from kith.challenges c join kith.namespaces n on n.id = c.namespace_id
    where c.id = any ($1::uuid[])
    order by c.id
    for no key update of c
    """,
    encode: { challenges, parameters in parameters.add(column: { $0.unique }, of: challenges) },
    decode: { row throws(PostgresError) in try StoredChallenge(&row) })
}

/// What answers make of challenges.
public enum AnswerChallenges {
  public struct Record: Sendable {
    public let challenge: ChallengeID
    public let wrongProofs: Int
    /// Nil while it can still be answered rightly.
    public let usedAt: Timestamp?

    public init(challenge: ChallengeID, wrongProofs: Int, usedAt: Timestamp?) {
      self.challenge = challenge
      self.wrongProofs = wrongProofs
      self.usedAt = usedAt
    }
  }

  public static let statement = Statement<[Record], Void>(
    "answer_challenges",
    """
    update kith.challenges c set attempts = a.attempts, used_at = a.used_at
    from unnest($1::uuid[], $2::int4[], $3::timestamptz[]) a (id, attempts, used_at)
    where c.id = a.id
    """
  ) { records, parameters in
    parameters.add(column: { $0.challenge.unique }, of: records)
    parameters.add(column: { Int32(clamping: $0.wrongProofs) }, of: records)
    parameters.add(optional: { $0.usedAt }, of: records)
  }
}
