import Accounts
import Postgres
import Store

/// Reads a user by an id that may be a former one, together with what belongs to them: one round trip, and one more when the
/// user was merged.
struct UserReading<Plan> {
  let user: StoredUser
  let plan: Plan
  let results: PipelineResults

  /// A survivor may be merged while we look; more often than this in so short a time it is not.
  private static var mergesMax: Int { 8 }

  /// All that it tells is of one moment.
  ///
  /// - Parameter plan: adds the statements that load what belongs to a user.
  /// - Throws: `not_found`, or `user_erased`.
  static func read(
    _ id: UserID, from pool: Pool, plan: (UserID, inout Pipeline) -> Plan
  ) async throws(OperationError) -> UserReading {
    var survivor = id
    for _ in 0...mergesMax {
      var pipeline = Pipeline.ofOneMoment
      let askedSlot = pipeline.add(GetUser.statement, id)
      let slot = survivor == id ? askedSlot : pipeline.add(GetUser.statement, survivor)
      let plan = plan(survivor, &pipeline)
      let (asked, user, results) = try await OperationError.translating { () throws(PostgresError) in
        let results = try await pool.run(pipeline)
        return (try results.first(of: askedSlot), try results.first(of: slot), results)
      }
      guard let asked, let user else { throw .refused(.notFound) }
      guard asked.status != .erased, user.status != .erased else { throw .refused(.userErased) }
      // Whoever was merged or parted since the last look is looked at again.
      let leadsTo = asked.survivor ?? id
      if leadsTo == survivor { return UserReading(user: user, plan: plan, results: results) }
      survivor = leadsTo
    }
    throw .unexpected(.unexpectedAnswer("following merged users leads to nobody"))
  }
}
