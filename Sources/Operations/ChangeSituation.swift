import Accounts
import Postgres
import Store

/// What a change of a user finds once its locks are held.
struct ChangeSituation {
  /// The number of the transaction.
  let transaction: Int64
  /// Whether the uncertain attempt, if there is one, was committed.
  let isWritten: Bool
  private let isKeyFree: Bool
  private let kept: KeptAnswers.Found?
  private let users: [StoredUser]

  /// Takes the locks, the request key's before the user's, and loads what is known, in one round trip.
  ///
  /// - Parameter uncertain: an event of an attempt whose outcome is unknown. It is looked for once the user is locked, which
  ///   that attempt had locked too: by then it is over.
  static func load(
    _ user: UserID, key: RequestKey?, uncertain: WrittenEvent?, in transaction: Transaction
  ) async throws(PostgresError) -> ChangeSituation {
    var pipeline = Pipeline()
    let free = key.map { pipeline.add(AdvisoryLock.tryAcquire, [$0.lock]) }
    let kept = key.map { pipeline.add(KeptAnswers.find, [$0]) }
    let users = pipeline.add(LockUser.statement, LockUser.Question(user: user, gate: key?.lock))
    let written = uncertain.map { pipeline.add(WrittenEvent.exists, $0) }
    let number = pipeline.add(WrittenEvent.currentTransaction, ())
    let results = try await transaction.run(pipeline)
    return ChangeSituation(
      transaction: try results.rows(of: number).first ?? 0,
      isWritten: try written.flatMap { written throws(PostgresError) in try results.first(of: written) } ?? false,
      isKeyFree: try free.flatMap { free throws(PostgresError) in try results.first(of: free) } ?? true,
      kept: try kept.flatMap { kept throws(PostgresError) in try results.first(of: kept) },
      users: try results.rows(of: users))
  }

  /// The answer to the same call before; nil if there was none.
  ///
  /// - Throws: `request_key_reused`, or `in_progress`.
  func keptAnswer(to key: RequestKey?) throws(OperationError) -> [UInt8]? {
    guard let key else { return nil }
    if let kept { return try kept.answer(for: key, sealer: nil) }
    guard isKeyFree else { throw .refused(.inProgress) }
    return nil
  }

  /// The user whom a change is about: the survivor, if the id is a former one. Nil if they were merged just now, so that
  /// their survivor is not locked.
  ///
  /// - Throws: `not_found`, or `user_erased`.
  func lockedUser(of id: UserID) throws(OperationError) -> StoredUser? {
    guard let asked = users.first(where: { $0.user == id }) else { throw .refused(.notFound) }
    guard let user = asked.survivor == nil ? asked : users.first(where: { $0.user == asked.survivor }) else {
      return nil
    }
    guard user.status != .erased else { throw .refused(.userErased) }
    return user.status == .merged ? nil : user
  }
}
