import Accounts
import Postgres
import Store

/// Counts a failure of the app's own step, or drops what is held.
public struct ChangeRegistrations: Sendable {
  private let writes: Pool
  private let circumstances: Circumstances

  public init(writes: Pool, circumstances: Circumstances) {
    self.writes = writes
    self.circumstances = circumstances
  }

  /// Counts an attempt that failed; the next sign-in goes on from what is held.
  ///
  /// - Parameter mayUse: whether the caller may use the namespace of this number.
  /// - Throws: `not_found`, `request_key_reused`, or `in_progress`.
  public func fail(
    _ registration: RegistrationID, reason: ChangeReason, call: ChangeCall<Int>,
    mayUse: @escaping @Sendable (Int32) -> Bool
  ) async throws(OperationError) -> Answer<Int> {
    try await change(registration, call, mayUse) { stored in
      var pipeline = Pipeline()
      let failure = ChangeRegistration.Failure(
        registration: registration, reason: reason, attempts: stored.attempts + 1)
      pipeline.add(ChangeRegistration.fail, failure)
      return (failure.attempts, pipeline, .failure(failure))
    }
  }

  /// Drops the details of somebody who is not to become a user.
  ///
  /// - Parameter reason: goes into the audit.
  /// - Throws: `not_found`, `request_key_reused`, or `in_progress`.
  public func discard(
    _ registration: RegistrationID, reason: ChangeReason?, call: ChangeCall<Void>,
    mayUse: @escaping @Sendable (Int32) -> Bool
  ) async throws(OperationError) -> Answer<Void> {
    try await change(registration, call, mayUse) { _ in
      var pipeline = Pipeline()
      pipeline.add(ChangeRegistration.discard, registration)
      pipeline.add(
        AppendAudit.statement,
        AppendAudit.Record(
          caller: call.caller, peerUID: call.peerUID, action: "registration.discard", user: nil, reason: reason,
          registration: registration))
      return ((), pipeline, .discarded(registration))
    }
  }

  private func change<Result>(
    _ registration: RegistrationID, _ call: ChangeCall<Result>, _ mayUse: @escaping @Sendable (Int32) -> Bool,
    _ write: @escaping (StoredRegistration) -> (Result, Pipeline, ChangeTrace)
  ) async throws(OperationError) -> Answer<Result> {
    let lock = ChangeLock<StoredRegistration?> { pipeline, gate in
      let row = pipeline.add(ChangeRegistration.lock, (registration, gate))
      return { results throws(PostgresError) in try results.first(of: row) }
    }
    return try await KeyedChange(call: call, pool: writes, circumstances: circumstances, lock: lock) {
      stored, moment throws(OperationError) in
      guard let stored, stored.user == nil, !stored.isExpired(at: moment.at), mayUse(stored.namespace) else {
        throw .refused(.notFound)
      }
      let (result, pipeline, trace) = write(stored)
      return .changed(result, pipeline, trace)
    }.run()
  }
}
