import API
import Terminal

/// How a daemon does, for people.
struct StatusSheet {
  private(set) var sheet = Sheet()

  init(_ status: ServerStatus.Result, socket: String) {
    sheet.add("daemon", "kithd \(status.version), up \(ElapsedTime.words(seconds: status.uptimeSeconds))")
    sheet.add("socket", socket)
    sheet.add("database", Self.words(of: status.database, isEmbedded: status.embedded))
    sheet.add("schema", "version \(status.schemaVersion)")
    for (number, words) in Self.words(of: status.spool).enumerated() { sheet.add(number == 0 ? "spool" : "", words) }
    sheet.add("connections", "\(status.connections)")
    for (number, namespace) in status.providers.enumerated() {
      let trust = namespace.trustEmail ? "its word on addresses counts" : "its word on addresses does not count"
      sheet.add(number == 0 ? "namespaces" : "", "\(namespace.provider):\(namespace.tenant)  \(trust)")
    }
    for (number, words) in Self.words(of: status.limits).enumerated() { sheet.add(number == 0 ? "limits" : "", words) }
  }

  private static func words(of database: DatabaseShape, isEmbedded: Bool) -> String {
    let isReadOnly = database.readOnly ?? false
    guard database.state == .up else {
      return isReadOnly
        ? "read-only, every host: what needs it is answered database_unavailable"
        : "down: what needs it is answered database_unavailable"
    }
    var words = "\(isReadOnly ? "read-only" : "up"), PostgreSQL \(database.serverVersion?.string ?? "?")"
    if isEmbedded { words += " (embedded)" }
    if let microseconds = database.roundTripMicroseconds { words += ", round trip \(microseconds) µs" }
    return words
  }

  private static func words(of spool: SpoolShape) -> [String] {
    let words = SpoolWords(spool)
    return [words.waiting ?? "nothing waits for the database", words.forOtherDatabases, words.setAside].compactMap(
      \.self)
  }

  private static func words(of limits: LimitsShape) -> [String] {
    [
      "a line \(limits.frameBytes) bytes, nested \(limits.nesting) deep, complete within \(limits.frameSeconds) s",
      "\(limits.batchCalls) calls a batch, \(limits.callsInFlight) in flight a connection",
      "\(limits.answerBytesQueued) bytes of answers queued, \(limits.connectionsPerUID) connections a uid",
    ]
  }
}
