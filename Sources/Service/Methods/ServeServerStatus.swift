import API
import Accounts
import Configuration
import JSONRPC
import Postgres
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
      status.startedAt = server.startedAt
      status.uptimeSeconds = server.uptimeSeconds
      status.limits = LimitsShape(settings.limits)
      status.providers = settings.configuredNamespaces.map { NamespaceShape($0) }
      status.connections = await server.metrics().connectionsOpen
      status.embedded = server.isEmbedded
      return .result(status)
    }
  }
}

/// How the database does, as seen from one worker.
private func database(through worker: Worker) async -> DatabaseShape {
  do throws(PostgresError) {
    let connection = try worker.operations.reads.leastBusy()
    let started = Clock.monotonicNanoseconds()
    _ = try await connection.rows(Ping.statement, ())
    let version = connection.serverVersion
    return DatabaseShape(
      state: .up, serverVersion: ExactText("\(version / 10_000).\(version % 10_000)"),
      roundTripMicroseconds: Int((Clock.monotonicNanoseconds() - started) / 1000))
  } catch {
    return DatabaseShape(state: .down)
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
