import Accounts
import Postgres
import Store
import Vault

/// Makes one user of two, exactly as a plan says.
public struct MergeUsers: Sendable {
  private static let action: StaticString = "merge.run"

  /// What is found once both are locked.
  private struct Facts {
    let digest: [UInt8]?
    /// The merge that carried the plan out before.
    let done: MergeRecord?
    /// What the absorbed user has.
    let counts: MergeCounts?
  }

  private let reads: Pool
  private let writes: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  public init(reads: Pool, writes: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.reads = reads
    self.writes = writes
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// The merge; the same one for a plan that was carried out before, as it stands now.
  ///
  /// - Throws: `plan_stale`, `.mergeRefused`, `request_key_reused`, or `in_progress`.
  public func run(
    _ plan: MergePlanToken, reason: ChangeReason, call: ChangeCall<MergeRecord>
  ) async throws(OperationError) -> Answer<MergeRecord> {
    try await KeyedChange(call: call, pool: writes, circumstances: circumstances) { () throws(PostgresError) in
      try await MergePair.lock(
        plan.survivor, plan.absorbed, moving: .all(of: plan.absorbed), reads: reads
      ) { pipeline in Self.look(for: plan, &pipeline) }
    } decide: { found, moment throws(OperationError) in
      let (pair, facts) = found
      if let done = facts.done { return .unchanged(done) }
      guard plan.expiresAt > moment.at, let survivor = pair[plan.survivor], let absorbed = pair[plan.absorbed],
        let counts = facts.counts, facts.digest == plan.digest, survivor.canBeMerged, absorbed.canBeMerged
      else { throw .refused(.planStale) }
      guard pair.isComplete else { return .lookAgain }
      guard pair.credentials.count <= CredentialMove.credentialsMax else {
        throw .mergeRefused(.tooManyCredentials(max: CredentialMove.credentialsMax))
      }
      let merge = Merge(
        id: circumstances.newID(at: moment.at), survivor: survivor, absorbed: absorbed, counts: counts, plan: plan,
        reason: reason, call: call, moment: moment)
      guard !pair.credentials.isEmpty else { return changed(by: merge, CredentialMove.Outcome()) }
      let move = CredentialMove(
        credentials: pair.credentials.map(\.id), user: survivor.user, at: moment.at, caller: call.caller,
        sealer: try sealer.known(), circumstances: circumstances)
      return .further { transaction throws(PostgresError) in
        changed(by: merge, try await move.run(in: transaction))
      }
    }.run()
  }

  private static func look(
    for plan: MergePlanToken, _ pipeline: inout Pipeline
  ) -> (PipelineResults) throws(PostgresError) -> Facts {
    let digest = pipeline.add(MergeDigest.statement, [plan.survivor, plan.absorbed])
    let done = pipeline.add(FindMerges.byPlan, plan.sha256)
    let counts = pipeline.add(MergeCounts.ofUser, plan.absorbed)
    return { results throws(PostgresError) in
      Facts(
        digest: try results.first(of: digest), done: try results.first(of: done),
        counts: try results.first(of: counts))
    }
  }

  private func changed(
    by merge: Merge, _ credentials: CredentialMove.Outcome
  ) -> KeyedChange<(MergePair, Facts), MergeRecord>.Decision {
    let account = merge.account
    let at = merge.moment.at
    let record = merge.record(account, credentials)
    var pipeline = Pipeline()
    pipeline.add(WriteMerge.insert, (record, merge.plan.sha256))
    if !account.filled.isEmpty {
      pipeline.add(
        UpdateProfiles.statement, [UpdateProfiles.Record(user: record.survivor, profile: account.profile, at: at)])
    }
    let rows = MergeRows.Input(
      merge: record.id, survivor: record.survivor, absorbed: record.absorbed,
      status: account.becomesDisabled ? .disabled : merge.survivor.status, becomesDisabled: account.becomesDisabled,
      at: at)
    MergeRows.add(rows, to: &pipeline)
    if !credentials.moved.isEmpty { pipeline.add(MoveCredentials.keep, (record.id, credentials.moved)) }
    let told = merge.moment.tell(
      .userMerged(record.survivor, from: record.absorbed, merge: record.id),
      account.becomesDisabled ? [.userDisabled(record.survivor)] : [], by: merge.call.caller, circumstances,
      in: &pipeline)
    pipeline.add(
      AppendAudit.statement,
      AppendAudit.Record(
        caller: merge.call.caller, peerUID: merge.call.peerUID, action: Self.action, user: record.survivor,
        reason: merge.reason, merge: (record.id, record.absorbed)))
    return .changed(record, pipeline, .event(told))
  }

  /// A merge that is about to be written.
  private struct Merge {
    let id: MergeID
    let survivor: StoredUser
    let absorbed: StoredUser
    let counts: MergeCounts
    let plan: MergePlanToken
    let reason: ChangeReason
    let call: ChangeCall<MergeRecord>
    let moment: KeyedChange<(MergePair, Facts), MergeRecord>.Moment

    var account: MergedAccount {
      MergedAccount(
        survivor: .init(status: survivor.status, profile: survivor.profile),
        absorbed: .init(status: absorbed.status, profile: absorbed.profile))
    }

    func record(_ account: MergedAccount, _ credentials: CredentialMove.Outcome) -> MergeRecord {
      var moved = counts
      moved.credentials = Int32(credentials.moved.count)
      return MergeRecord(
        id: id, survivor: survivor.user, absorbed: absorbed.user, reason: reason.text, by: call.caller.text,
        at: moment.at, moved: moved, credentialsLeft: Int32(credentials.left.count), absorbedStatus: absorbed.status,
        filled: account.filled)
    }
  }
}

extension StoredUser {
  /// Nobody plans to merge a user who is gone, but a plan could be made up.
  fileprivate var canBeMerged: Bool { status == .active || status == .disabled }
}
