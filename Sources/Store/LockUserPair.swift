import Accounts
import Postgres

/// Two users for a change that concerns both: locked to the end of the transaction, as ``LockUser`` locks one, but neither is
/// followed to a survivor.
public enum LockUserPair {
  public struct Question: Sendable {
    public let users: [UserID]
    /// What the transaction must hold already, or nobody is locked.
    public let gate: AdvisoryLock?

    public init(_ first: UserID, _ second: UserID, gate: AdvisoryLock?) {
      users = [first, second]
      self.gate = gate
    }
  }

  /// Adds the statements, and gives back where the locked users will be found.
  public static func add(_ question: Question, to pipeline: inout Pipeline) -> Pipeline.Slot<StoredUser> {
    pipeline.add(names, question)
    return pipeline.add(statement, question)
  }

  /// A lock that the transaction holds can be taken once more.
  private static let names = Statement<Question, Void>(
    "lock_user_pair_names",
    """
    with concerned as materialized (
      select uuid_hash_extended(q.id, 0) as name from unnest($1::uuid[]) q (id)
      where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8))
      order by name
    )
    select pg_advisory_xact_lock(c.name) from concerned c
    """,
    encode: encode)

  private static let statement = Statement<Question, StoredUser>(
    "lock_user_pair",
    """
    select u.id, u.status, u.merged_into, u.profile, u.disabled_by_merge from kith.users u
    where (select $2::int8 is null or pg_try_advisory_xact_lock($2::int8)) and u.id = any ($1::uuid[])
    order by u.id
    for update of u
    """,
    encode: encode,
    decode: { row throws(PostgresError) in try StoredUser(&row) })

  @Sendable
  private static func encode(_ question: Question, _ parameters: inout Parameters) {
    parameters.add(column: { $0.unique }, of: question.users)
    parameters.add(question.gate?.name)
  }
}
