import Accounts
import Postgres

/// Rows that nobody needs any more, the oldest first and not too many at once.
public enum DropExpired {
  public struct Batch: Sendable {
    /// What is older goes.
    public let before: Timestamp
    public let limit: Int32

    public init(before: Timestamp, limit: Int32) {
      self.before = before
      self.limit = limit
    }
  }

  /// Answers kept before a moment. The daemon's role may not lock these rows; nobody else touches old ones, and those who
  /// drop them at the same time do so in the order of their places.
  public static let keptAnswers = Statement<Batch, Void>(
    "drop_kept_answers",
    """
    delete from kith.request_keys k where k.ctid = any (array(
      select r.ctid from kith.request_keys r where r.created_at < $1::timestamptz
      order by r.created_at limit $2::int4
    ))
    """,
    encode: encode)

  /// Challenges that expired before a moment; one that somebody works on stays until the next time.
  public static let challenges = Statement<Batch, Void>(
    "drop_challenges",
    """
    delete from kith.challenges c where c.id = any (array(
      select e.id from kith.challenges e where e.expires_at < $1::timestamptz
      order by e.expires_at limit $2::int4
      for update skip locked
    ))
    """,
    encode: encode)

  /// Tokens that expired before a moment; one that somebody works on stays until the next time.
  public static let emailTokens = Statement<Batch, Void>(
    "drop_email_tokens",
    """
    delete from kith.email_tokens t where t.ctid = any (array(
      select e.ctid from kith.email_tokens e where e.expires_at < $1::timestamptz
      order by e.expires_at limit $2::int4
      for update skip locked
    ))
    """,
    encode: encode)

  @Sendable
  static func encode(_ batch: Batch, _ parameters: inout Parameters) {
    parameters.add(batch.before)
    parameters.add(batch.limit)
  }
}
