import Accounts
import Crypto
import Operations
import Store
import TestSupport
import Vault

/// Merging on one daemon, as tests use it.
struct MergeTrial: Sendable {
  let daemon: TestDaemon
  private let pools: TestDaemon
  let sealer: SharedSealer
  let circumstances: Circumstances

  /// - Parameters:
  ///   - other: whose connections are used; nil for the daemon's own.
  ///   - now: the time that is taken for now.
  init(_ daemon: TestDaemon, through other: TestDaemon? = nil, now: Timestamp = TestDaemon.now) async throws {
    self.daemon = daemon
    pools = other ?? daemon
    sealer = try await CredentialTrial(daemon).sealer
    circumstances = Circumstances(now: { now }, random: daemon.circumstances.random)
  }

  static func with(_ seed: String, _ body: (MergeTrial) async throws -> Void) async throws {
    try await TestDaemon.with(seed) { daemon async throws in try await body(try await MergeTrial(daemon)) }
  }

  func plan(
    _ first: UserID, _ second: UserID, into survivor: UserID? = nil, groups: AccessGroups = AccessGroups(["*"])
  ) async throws -> MergePlan {
    let plan = PlanMerge(reads: pools.reads, sealer: sealer, circumstances: circumstances)
    return try await pools.run { () async throws in
      try await plan.plan((first, second), survivor: survivor, mayRead: groups)
    }
  }

  func run(_ plan: MergePlanToken, key: ExactText? = nil) async throws -> Answer<MergeRecord> {
    let merge = MergeUsers(reads: pools.reads, writes: pools.writes, sealer: sealer, circumstances: circumstances)
    return try await pools.run { () async throws in try await merge.run(plan, reason: .test, call: .merge(key: key)) }
  }

  /// Plans and merges.
  @discardableResult
  func merge(_ first: UserID, _ second: UserID, into survivor: UserID? = nil) async throws -> MergeID {
    let plan = try await plan(first, second, into: survivor)
    guard let merge = try await run(plan.token).new else { throw NoMerge() }
    return merge.id
  }

  @discardableResult
  func undo(_ merge: MergeID, key: ExactText? = nil) async throws -> Answer<MergeRecord> {
    let undo = UndoMerge(reads: pools.reads, writes: pools.writes, sealer: sealer, circumstances: circumstances)
    return try await pools.run { () async throws in try await undo.undo(merge, reason: .test, call: .merge(key: key)) }
  }

  /// Everything that belongs to anybody, without what tells how often it was changed.
  func rows() async throws -> [String] {
    try await daemon.texts(
      """
      select t from (
        select json_build_array('user', u.id, u.status, u.merged_into, u.profile, u.search_name, u.disabled_reason,
          u.disabled_by_merge)::text from kith.users u
        union all
        select json_build_array('identity', i.id, i.namespace_id, i.subject, i.user_id, i.user_status, i.email,
          i.email_canonical, i.email_verified, i.linked_at, i.linked_by)::text from kith.identities i
        union all
        select json_build_array('email', e.user_id, e.canonical, e.email, e.added_at,
          array(select v from unnest(e.vouched_by) v order by v), e.vouched_by_token)::text from kith.emails e
        union all
        select json_build_array('unlinked', k.namespace_id, k.subject, k.user_id, k.at, k.by_merge)::text
        from kith.unlinked k
        union all
        select json_build_array('removed', r.user_id, r.canonical, r.at, r.by_merge)::text from kith.removed_emails r
        union all
        select json_build_array('credential', c.id, c.access_group, c.account, c.service, c.label, c.user_id,
          c.attributes, c.expires_at)::text from kith.credentials c
        union all
        select json_build_array('registration', r.id, r.user_id)::text from kith.registrations r
      ) s (t) order by t
      """)
  }

  struct NoMerge: Error {}
}

extension ChangeCall<MergeRecord> {
  static func merge(key: ExactText?) -> ChangeCall {
    ChangeCall(
      caller: .tester, peerUID: 4711,
      requestKey: key.map {
        RequestKey(caller: .tester, method: "merge", key: $0, parametersDigest: Array(repeating: 0, count: 32))
      },
      encode: { Array("{\"merge_id\":\"\($0.id)\"}".utf8) })
  }
}

extension MergeRefusal {
  /// What a body is refused with; nil if it is not.
  static func of(_ body: () async throws -> Void) async throws -> MergeRefusal? {
    do {
      try await body()
      return nil
    } catch OperationError.mergeRefused(let refusal) {
      return refusal
    }
  }
}
