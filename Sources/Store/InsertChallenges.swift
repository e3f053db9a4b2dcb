import Accounts
import Postgres

/// New challenges; the details that go on once one is confirmed are held as a registration.
public enum InsertChallenges {
  public struct Record: Sendable {
    public let challenge: ChallengeID
    public let key: StoredKey
    public let caller: CallerName
    public let candidate: ChallengeCandidate
    public let madeAt: Timestamp
    public let expiresAt: Timestamp

    public init(
      challenge: ChallengeID, key: StoredKey, caller: CallerName, candidate: ChallengeCandidate,
      madeAt: Timestamp, expiresAt: Timestamp
    ) {
      self.challenge = challenge
      self.key = key
      self.caller = caller
      self.candidate = candidate
      self.madeAt = madeAt
      self.expiresAt = expiresAt
    }
  }

  public static let statement = Statement<[Record], Void>(
    "insert_challenges",
    """
    insert into kith.challenges (id, namespace_id, subject, caller, candidates, candidate_epochs, created_at, expires_at)
    select c.id, c.namespace_id, c.subject, c.caller, array[c.candidate], array[c.epoch::int4], c.made_at,
      c.expires_at
    from unnest($1::uuid[], $2::int4[], $3::text[], $4::text[], $5::uuid[], $6::int8[], $7::timestamptz[],
      $8::timestamptz[]) c (id, namespace_id, subject, caller, candidate, epoch, made_at, expires_at)
    """
  ) { records, parameters in
    parameters.add(column: { $0.challenge.unique }, of: records)
    parameters.add(column: { $0.key.namespace }, of: records)
    parameters.add(column: { $0.key.subject }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
    parameters.add(column: { $0.candidate.user.unique }, of: records)
    parameters.add(column: { $0.candidate.epoch }, of: records)
    parameters.add(column: { $0.madeAt }, of: records)
    parameters.add(column: { $0.expiresAt }, of: records)
  }
}
