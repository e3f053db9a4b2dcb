import EventLoop
import Operations
import Postgres
import Vault

/// A worker's share of the database and the operations that use it.
///
/// `@unchecked Sendable`: it belongs to its worker's loop and is touched on that loop's thread only.
final class WorkerOperations: @unchecked Sendable {
  /// One PostgreSQL process for lookups keeps up with a loop; the second is for everything else that is read.
  private static let readConnections = 2
  /// Four batches of sign-ins, and room for changes by administrators and for what is written in the background.
  private static let writeConnections = 6
  /// For what is still to be written down at the end; a database that does not answer is not waited for.
  private static let lastWritesMilliseconds: UInt64 = 500

  let reads: Pool
  let writes: Pool
  let resolveSignIn: ResolveSignIn
  let lastSignIns: LastSignIns
  let readRegistrations: ReadRegistrations
  let changeRegistrations: ChangeRegistrations
  let deliverKept: DeliverKept
  let findUser: FindUser
  let searchUsers: SearchUsers
  let updateUser: UpdateUser
  let setUserStatus: SetUserStatus
  let exportUser: ExportUser
  let eraseUser: EraseUser
  let findIdentity: FindIdentity
  let listUserIdentities: ListUserIdentities
  let unlinkIdentity: UnlinkUserIdentity
  let listUserEmails: ListUserEmails
  let changeEmails: ChangeUserEmails
  let planMerge: PlanMerge
  let mergeUsers: MergeUsers
  let undoMerge: UndoMerge
  let readMerges: ReadMerges
  let listDuplicates: ListDuplicates
  let getCredential: GetCredential
  let changeCredential: ChangeCredential
  let listCredentials: ListKeptCredentials
  let eventFeed: EventFeed
  let followEvents: FollowEvents
  let acknowledgeEvents: AcknowledgeEvents
  let listConsumers: ListConsumers
  let inspectAudit: InspectAudit
  let purgeExpired: PurgeExpired
  let sealer: SharedSealer
  let keyUsage: KeyUsage
  let rewrapRecords: RewrapRecords

  /// A standby to which searches go, which may lag a little; else the database itself.
  private let standby: Pool?

  init(
    on loop: EventLoop, databases: Databases, sealer: SharedSealer, details: DetailsSpool, commits: CommitSignal,
    circumstances: Circumstances
  ) {
    reads = Pool(databases.main, size: Self.readConnections, on: loop)
    writes = Pool(databases.main, size: Self.writeConnections, on: loop)
    standby = databases.standby.map { Pool($0, size: Self.readConnections, on: loop) }
    lastSignIns = LastSignIns(on: loop, to: writes)
    resolveSignIn = ResolveSignIn(
      on: loop, reads: reads, writes: writes, lastSignIns: lastSignIns, sealer: sealer, details: details,
      circumstances: circumstances)
    readRegistrations = ReadRegistrations(reads: reads, sealer: sealer, circumstances: circumstances)
    changeRegistrations = ChangeRegistrations(writes: writes, circumstances: circumstances)
    deliverKept = DeliverKept(writes: writes, details: details, sealer: sealer, circumstances: circumstances)
    findUser = FindUser(reads: reads)
    searchUsers = SearchUsers(reads: standby ?? reads)
    updateUser = UpdateUser(writes: writes, circumstances: circumstances)
    setUserStatus = SetUserStatus(writes: writes, circumstances: circumstances)
    exportUser = ExportUser(reads: reads, sealer: sealer, circumstances: circumstances)
    eraseUser = EraseUser(writes: writes, details: details, circumstances: circumstances)
    findIdentity = FindIdentity(reads: reads)
    listUserIdentities = ListUserIdentities(reads: reads)
    unlinkIdentity = UnlinkUserIdentity(writes: writes, circumstances: circumstances)
    listUserEmails = ListUserEmails(reads: reads)
    changeEmails = ChangeUserEmails(writes: writes, sealer: sealer, circumstances: circumstances)
    planMerge = PlanMerge(reads: reads, sealer: sealer, circumstances: circumstances)
    mergeUsers = MergeUsers(reads: reads, writes: writes, sealer: sealer, circumstances: circumstances)
    undoMerge = UndoMerge(reads: reads, writes: writes, sealer: sealer, circumstances: circumstances)
    readMerges = ReadMerges(reads: reads)
    listDuplicates = ListDuplicates(reads: standby ?? reads)
    getCredential = GetCredential(on: loop, reads: reads, sealer: sealer, circumstances: circumstances)
    changeCredential = ChangeCredential(writes: writes, sealer: sealer, circumstances: circumstances)
    listCredentials = ListKeptCredentials(reads: reads, circumstances: circumstances)
    self.sealer = sealer
    eventFeed = EventFeed(on: loop, reads: reads, writes: writes, signal: commits)
    followEvents = FollowEvents(
      on: loop, feed: eventFeed, reads: reads, writes: writes, circumstances: circumstances)
    acknowledgeEvents = AcknowledgeEvents(on: loop, follow: followEvents, writes: writes, circumstances: circumstances)
    listConsumers = ListConsumers(reads: reads)
    inspectAudit = InspectAudit(reads: reads)
    writes.onCommit = { commits.announce() }
    purgeExpired = PurgeExpired(writes: writes, circumstances: circumstances)
    keyUsage = KeyUsage(reads: reads, sealer: sealer)
    rewrapRecords = RewrapRecords(writes: writes, sealer: sealer)
  }

  func start() {
    reads.start()
    writes.start()
    standby?.start()
  }

  /// Returns once both reads and writes can be done.
  func waitUntilOpen() async throws(PostgresError) {
    try await reads.waitUntilOpen()
    try await writes.waitUntilOpen()
  }

  func stop() async {
    let limit = LoopTimer(on: writes.loop, afterMilliseconds: Self.lastWritesMilliseconds) { [self] in close() }
    await lastSignIns.writeEverything()
    limit.cancel()
    close()
  }

  private func close() {
    reads.close()
    writes.close()
    standby?.close()
  }
}
