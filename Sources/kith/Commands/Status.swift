import API
import Terminal

extension Command where Context == CommandContext {
  static let status: Command = Command(
    "status", "Show how the daemon does"
  ) { context throws(CommandFailure) in
    try await context.show(ServerStatus.self, EmptyShape()) { status in
      var sheet = Sheet()
      sheet.add("daemon", "kithd \(status.version), up \(ElapsedTime.words(seconds: status.uptimeSeconds))")
      sheet.add("socket", context.socketPath)
      sheet.add("database", databaseWords(status))
      sheet.add("schema", "version \(status.schemaVersion)")
      sheet.add("connections", "\(status.connections)")
      for (number, provider) in status.providers.enumerated() {
        let trust = provider.trustEmail ? "its word on addresses counts" : "its word on addresses does not count"
        sheet.add(number == 0 ? "namespaces" : "", "\(provider.provider):\(provider.tenant)  \(trust)")
      }
      sheet.add("limits", limitWords(status.limits))
      return context.lines(of: sheet)
    }
  }
}

private func databaseWords(_ status: ServerStatus.Result) -> String {
  guard status.database.state == .up else { return "down: sign-ins are answered database_unavailable until it is back" }
  var words = "up, PostgreSQL \(status.database.serverVersion?.string ?? "?")"
  if status.embedded { words += " (embedded)" }
  if let microseconds = status.database.roundTripMicroseconds { words += ", round trip \(microseconds) µs" }
  return words
}

private func limitWords(_ limits: LimitsShape) -> String {
  "\(limits.frameBytes) bytes a line, \(limits.callsInFlight) calls in flight, "
    + "\(limits.connectionsPerUID) connections a uid"
}

/// Elapsed time as people say it.
enum ElapsedTime {
  static func words(seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}
