import Accounts
import Store

/// Prints what was counted in the OpenMetrics text format, version 1.0.0.
struct MetricsText {
  static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  private(set) var text = ""

  init(
    _ metrics: Metrics, methods: [StaticString], consumers: [Consumers.Lag], isDatabaseUp: Bool, uptimeSeconds: Int
  ) {
    family("kith_calls", "counter", "Calls that have ended, by method and outcome.")
    for (name, counts) in zip(methods, metrics.methods) {
      sample("kith_calls_total", "method=\"\(name)\",outcome=\"ok\"", counts.succeeded)
      for (reason, count) in counts.refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        sample("kith_calls_total", "method=\"\(name)\",outcome=\"\(reason.rawValue)\"", count)
      }
    }
    durations(metrics, methods)
    family("kith_connections", "gauge", "Connections that are open.")
    sample("kith_connections", "", metrics.connectionsOpen)
    family("kith_connections_accepted", "counter", "Connections that were accepted.")
    sample("kith_connections_accepted_total", "", metrics.connectionsAccepted)
    family("kith_connections_refused", "counter", "Connections of unknown peers, and those over the limit of a uid.")
    sample("kith_connections_refused_total", "", metrics.connectionsRefused)
    family("kith_last_sign_ins_left_out", "counter", "Times of sign-ins that were too many to be written down.")
    sample("kith_last_sign_ins_left_out_total", "", metrics.lastSignInsLeftOut)
    family("kith_event_consumer_behind", "gauge", "Events that a consumer has not acknowledged, as of the last scrape.")
    for consumer in consumers {
      let labels = "caller=\"\(Self.escaped(consumer.caller))\",consumer=\"\(Self.escaped(consumer.name))\""
      sample("kith_event_consumer_behind", labels, consumer.behind)
    }
    family("kith_database_up", "gauge", "Whether the database can be reached.")
    sample("kith_database_up", "", isDatabaseUp ? 1 : 0)
    family("kith_uptime_seconds", "gauge", "For how long the daemon has been running.", unit: "seconds")
    sample("kith_uptime_seconds", "", uptimeSeconds)
    text += "# EOF\n"
  }

  private mutating func durations(_ metrics: Metrics, _ methods: [StaticString]) {
    family("kith_call_duration_seconds", "histogram", "How long calls took.", unit: "seconds")
    for (name, counts) in zip(methods, metrics.methods) {
      var total: UInt64 = 0
      for (bucket, count) in counts.buckets.enumerated() {
        total += count
        let end =
          bucket < Metrics.bucketMicroseconds.count
          ? "\(Double(Metrics.bucketMicroseconds[bucket]) / 1_000_000)" : "+Inf"
        sample("kith_call_duration_seconds_bucket", "method=\"\(name)\",le=\"\(end)\"", total)
      }
      sample("kith_call_duration_seconds_count", "method=\"\(name)\"", total)
      sample("kith_call_duration_seconds_sum", "method=\"\(name)\"", Double(counts.totalNanoseconds) / 1e9)
    }
  }

  private static func escaped(_ label: ExactText) -> String {
    label.string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private mutating func family(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
    text += "# TYPE \(name) \(type)\n"
    if let unit { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(help)\n"
  }

  private mutating func sample(_ name: String, _ labels: String, _ value: some CustomStringConvertible) {
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }
}
