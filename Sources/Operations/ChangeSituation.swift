import Accounts
import Postgres
import Store
import Vault

/// What a change finds once its locks are held.
struct ChangeSituation<Locked> {
  /// The number of the transaction.
  let transaction: Int64
  /// Whether the uncertain attempt, if there is one, was committed.
  let isWritten: Bool
  let locked: Locked
  private let isKeyFree: Bool
  private let kept: KeptAnswers.Found?

  /// Takes the locks, the request key's before those of what is changed, and loads what is known, in one round trip.
  ///
  /// - Parameter uncertain: what an attempt whose outcome is unknown would have left. It is looked for once everything is
  ///   locked, which that attempt had locked too: by then it is over.
  static func load(
    _ lock: ChangeLock<Locked>, key: RequestKey?, uncertain: ChangeTrace?, in transaction: Transaction
  ) async throws(PostgresError) -> ChangeSituation {
    var pipeline = Pipeline()
    let free = key.map { pipeline.add(AdvisoryLock.tryAcquire, [$0.lock]) }
    let kept = key.map { pipeline.add(KeptAnswers.find, [$0]) }
    let reading = lock.add(&pipeline, key?.lock)
    let written = uncertain?.look(&pipeline)
    let number = pipeline.add(WrittenEvent.currentTransaction, ())
    let results = try await transaction.run(pipeline)
    return ChangeSituation(
      transaction: try results.rows(of: number).first ?? 0,
      isWritten: try written.flatMap { written throws(PostgresError) in try results.first(of: written) } ?? false,
      locked: try reading(results),
      isKeyFree: try free.flatMap { free throws(PostgresError) in try results.first(of: free) } ?? true,
      kept: try kept.flatMap { kept throws(PostgresError) in try results.first(of: kept) })
  }

  /// The answer to the same call before; nil if there was none.
  ///
  /// - Parameter sealer: opens an answer that is kept sealed; nil where none ever is.
  /// - Throws: `request_key_reused`, or `in_progress`.
  func keptAnswer(to key: RequestKey?, sealer: Sealer?) throws(OperationError) -> [UInt8]? {
    guard let key else { return nil }
    if let kept { return try kept.answer(for: key, sealer: sealer) }
    guard isKeyFree else { throw .refused(.inProgress) }
    return nil
  }
}

/// How what a change is about is locked and read.
struct ChangeLock<Locked> {
  typealias Reading = (PipelineResults) throws(PostgresError) -> Locked

  /// Adds the statements, and gives back how their results are read. Nothing is to be locked unless the transaction holds the
  /// gate.
  let add: (_ pipeline: inout Pipeline, _ gate: AdvisoryLock?) -> Reading
}

/// What a change leaves that no other leaves: whether it is there tells whether the change was committed.
enum ChangeTrace: Sendable {
  case event(WrittenEvent)
  case credential(CredentialVersions.Entry)
  case failure(ChangeRegistration.Failure)
  case discarded(RegistrationID)
  case emailToken(ChangeEmail.NewToken)
  case emailVerified(ChangeEmail.UsedToken)
  case acknowledged(Consumers.Acknowledgement)

  func look(_ pipeline: inout Pipeline) -> Pipeline.Slot<Bool> {
    switch self {
    case .event(let event): pipeline.add(WrittenEvent.exists, event)
    case .credential(let entry): pipeline.add(CredentialVersions.exists, entry)
    case .failure(let failure): pipeline.add(ChangeRegistration.isFailed, failure)
    case .discarded(let registration): pipeline.add(ChangeRegistration.isDiscarded, registration)
    case .emailToken(let token): pipeline.add(ChangeEmail.isTokenKept, token)
    case .emailVerified(let used): pipeline.add(ChangeEmail.isVerified, used)
    case .acknowledged(let acknowledgement): pipeline.add(Consumers.isDone, acknowledgement)
    }
  }
}
