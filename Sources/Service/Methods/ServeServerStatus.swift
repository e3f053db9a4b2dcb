import API
import Accounts
import Configuration
import Glibc
import JSONRPC
import Postgres
import Spool
import Store

extension MethodTable {
  mutating func serveServerStatus() {
    serve(ServerStatus.self) { call throws(RPCError) in
      let server = call.context.worker.server
      let settings = call.context.worker.settings
      var status = ServerStatus.Result()
      status.version = ExactText(server.version)
      status.schemaVersion = server.schemaVersion
      status.database = await database(through: call.context.worker)
      status.time = Clock.now()
      status.startedAt = server.startedAt
      status.uptimeSeconds = server.uptimeSeconds
      status.limits = LimitsShape(settings.limits)
      status.providers = settings.namespaces.map { NamespaceShape($0.settings) }
      status.connections = await server.metrics().connectionsOpen
      status.openFilesMax = openFilesMax()
      status.embedded = server.isEmbedded
      status.uid = Int(geteuid())
      status.spool = SpoolShape(server.details.spool.summary)
      return .result(status)
    }
  }
}

/// How the database does, as seen from one worker.
private func database(through worker: Worker) async -> DatabaseShape {
  do throws(PostgresError) {
    let connection = try worker.operations.reads.leastBusy()
    let started = Clock.monotonicNanoseconds()
    let time = try await connection.rows(DatabaseTime.statement, ()).first
    let elapsed = Clock.monotonicNanoseconds() - started
    let version = connection.serverVersion
    let isReadOnly = await isReadOnly(worker.operations.writes)
    return DatabaseShape(
      state: .up, serverVersion: ExactText("\(version / 10_000).\(version % 10_000)"),
      roundTripMicroseconds: Int(elapsed / 1000), time: time, readOnly: isReadOnly)
  } catch {
    if case .readOnly = error { return DatabaseShape(state: .down, readOnly: true) }
    return DatabaseShape(state: .down)
  }
}

/// Nil where it cannot be asked.
private func isReadOnly(_ writes: Pool) async -> Bool? {
  do throws(PostgresError) {
    return try await writes.askWhetherReadOnly()
  } catch {
    if case .readOnly = error { return true }
    return nil
  }
}

/// How many descriptors the kernel allows this process.
private func openFilesMax() -> Int {
  var descriptors = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return 0 }
  return Int(clamping: descriptors.rlim_cur)
}

extension SpoolShape {
  init(_ summary: SpoolSummary) {
    self.init()
    entries = summary.entries
    bytes = summary.bytes
    oldestAt = summary.oldest
    filesSetAside = summary.filesSetAside
    filesForOtherDatabases = summary.filesForOtherDatabases
  }
}

extension LimitsShape {
  init(_ limits: TransportLimits) {
    self.init()
    frameBytes = limits.frameBytesMax
    batchCalls = limits.batchCallsMax
    nesting = limits.nestingMax
    callsInFlight = limits.callsInFlightMax
    answerBytesQueued = limits.answerBytesQueuedMax
    frameSeconds = Int(limits.frameSecondsMax.rounded(.up))
    connectionsPerUID = limits.connectionsPerUIDMax
  }
}

extension NamespaceShape {
  init(_ settings: NamespaceSettings) {
    self.init(
      provider: ExactText(settings.namespace.provider.rawValue), tenant: settings.namespace.tenant,
      trustEmail: settings.trustsEmail)
  }
}
