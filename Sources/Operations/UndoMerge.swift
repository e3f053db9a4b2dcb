import Accounts
import Postgres
import Store
import Vault

/// Makes two users again of those whom a merge made one.
public struct UndoMerge: Sendable {
  private static let action: StaticString = "merge.undo"

  /// What is found once both are locked.
  private struct Facts {
    let merge: MergeRecord?
    let later: MergeID?
    let identities: [UnmergeDecision.Identity]
    let addresses: [FindForUnmerge.Address]
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

  /// The merge as it was undone; the same answer for one that had been undone before.
  ///
  /// - Throws: `not_found`, `user_erased`, `last_sign_in_method`, `.mergeRefused`, `request_key_reused`, or `in_progress`.
  public func undo(
    _ id: MergeID, reason: ChangeReason, call: ChangeCall<MergeRecord>
  ) async throws(OperationError) -> Answer<MergeRecord> {
    // Whose merge it is never changes.
    let merge = try await OperationError.translating { () throws(PostgresError) in
      try await reads.rows(FindMerges.byID, id).first
    }.orNotFound()
    return try await KeyedChange(call: call, pool: writes, circumstances: circumstances) { () throws(PostgresError) in
      try await MergePair.lock(
        merge.survivor, merge.absorbed, moving: .came(with: id, to: merge.survivor), reads: reads
      ) { pipeline in Self.look(at: merge, &pipeline) }
    } decide: { found, moment throws(OperationError) in
      let (pair, facts) = found
      guard let merge = facts.merge else { throw .refused(.notFound) }
      guard merge.undo == nil else { return .unchanged(merge) }
      let (survivor, absorbed) = try pair.users(of: merge, later: facts.later)
      guard pair.isComplete else { return .lookAgain }
      guard pair.credentials.count <= CredentialMove.credentialsMax else {
        throw .mergeRefused(.tooManyCredentials(max: CredentialMove.credentialsMax))
      }
      let decision = try OperationError.translating { () throws(Refusal) in
        try UnmergeDecision(identities: facts.identities, addresses: facts.addresses, mergedAt: merge.at)
      }
      let undoing = Undoing(
        merge: merge, survivor: survivor, absorbed: absorbed, decision: decision, reason: reason, call: call,
        moment: moment)
      guard !pair.credentials.isEmpty else { return changed(by: undoing) }
      let move = CredentialMove(
        credentials: pair.credentials.map(\.id), user: absorbed.user, at: moment.at, caller: call.caller,
        sealer: try sealer.known(), circumstances: circumstances)
      return .further { transaction throws(PostgresError) in
        _ = try await move.run(in: transaction)
        return changed(by: undoing)
      }
    }.run()
  }

  private static func look(
    at merge: MergeRecord, _ pipeline: inout Pipeline
  ) -> (PipelineResults) throws(PostgresError) -> Facts {
    let question = FindForUnmerge.Question(merge: merge.id, survivor: merge.survivor)
    let found = pipeline.add(FindMerges.byID, merge.id)
    let later = pipeline.add(FindMerges.superseding, merge.id)
    let identities = pipeline.add(FindForUnmerge.identities, question)
    let addresses = pipeline.add(FindForUnmerge.addresses, question)
    return { results throws(PostgresError) in
      Facts(
        merge: try results.first(of: found), later: try results.first(of: later),
        identities: try results.rows(of: identities), addresses: try results.rows(of: addresses))
    }
  }

  private func changed(by undoing: Undoing) -> KeyedChange<(MergePair, Facts), MergeRecord>.Decision {
    let record = undoing.record
    let at = undoing.moment.at
    var pipeline = Pipeline()
    if let undo = record.undo { pipeline.add(WriteMerge.undo, (record.id, undo)) }
    let profile = undoing.profile
    if profile != undoing.survivor.profile {
      pipeline.add(UpdateProfiles.statement, [UpdateProfiles.Record(user: record.survivor, profile: profile, at: at)])
    }
    let rows = UnmergeRows.Input(
      merge: record.id, survivor: record.survivor, absorbed: record.absorbed, absorbedStatus: record.absorbedStatus,
      enablesSurvivor: undoing.survivor.disabledByMerge == record.id, decision: undoing.decision, at: at)
    UnmergeRows.add(rows, to: &pipeline)
    let told = undoing.moment.tell(
      .userUnmerged(record.survivor, from: record.absorbed, merge: record.id),
      rows.enablesSurvivor ? [.userEnabled(record.survivor)] : [], by: undoing.call.caller, circumstances,
      in: &pipeline)
    pipeline.add(
      AppendAudit.statement,
      AppendAudit.Record(
        caller: undoing.call.caller, peerUID: undoing.call.peerUID, action: Self.action, user: record.survivor,
        reason: undoing.reason, merge: (record.id, record.absorbed)))
    return .changed(record, pipeline, .event(told))
  }

  /// An undo that is about to be written.
  private struct Undoing {
    let merge: MergeRecord
    let survivor: StoredUser
    let absorbed: StoredUser
    let decision: UnmergeDecision
    let reason: ChangeReason
    let call: ChangeCall<MergeRecord>
    let moment: KeyedChange<(MergePair, Facts), MergeRecord>.Moment

    var record: MergeRecord {
      var record = merge
      record.undo = MergeRecord.Undo(at: moment.at, by: call.caller.text, reason: reason.text)
      return record
    }

    /// The absorbed user's own is as it was, for nobody changes a merged user.
    var profile: Profile { survivor.profile.removing(merge.filled, asIn: absorbed.profile) }
  }
}

extension MergePair {
  /// The survivor and the absorbed user, if their merge can be undone.
  ///
  /// - Throws: `user_erased`, or `.mergeRefused`.
  fileprivate func users(
    of merge: MergeRecord, later: MergeID?
  ) throws(OperationError) -> (survivor: StoredUser, absorbed: StoredUser) {
    guard let survivor = self[merge.survivor], let absorbed = self[merge.absorbed] else {
      throw .unexpected(.unexpectedAnswer("a user of merge \(merge.id) is gone"))
    }
    guard survivor.status != .erased, absorbed.status != .erased else { throw .refused(.userErased) }
    if let later { throw .mergeRefused(.superseded(by: later)) }
    guard absorbed.survivor == survivor.user, survivor.status != .merged else {
      throw .unexpected(.unexpectedAnswer("merge \(merge.id) is done and its users are not merged"))
    }
    return (survivor, absorbed)
  }
}
