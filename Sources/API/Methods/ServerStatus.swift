import Accounts
import JSONRPC

/// Tells how the daemon does.
public enum ServerStatus: Method {
  public static let name: StaticString = "server.status"
  public static let summary: StaticString = "Tells how the daemon does."
  public static let description: StaticString = "Answers also while the database is down, and says so."
  public static let changes = false
  public static let errors: [ErrorReason] = []

  public typealias Parameters = EmptyShape

  public struct Result: Shape, Equatable {
    public static let title = "ServerStatusResult"

    public var version: ExactText = ""
    public var schemaVersion = 0
    public var database = DatabaseShape()
    public var time = Timestamp.unset
    public var startedAt = Timestamp.unset
    public var uptimeSeconds = 0
    public var limits = LimitsShape()
    public var providers: [NamespaceShape] = []
    public var connections = 0
    public var openFilesMax = 0
    public var embedded = false
    public var uid = 0
    public var spool = SpoolShape()

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("version", &version, .text(bytes: 1...64), "The daemon's version.")
      try visitor.member("schema_version", &schemaVersion, .count, "The number of the last migration it works with.")
      try visitor.member("database", &database, "How the database does.")
      try visitor.member("time", &time, "The daemon's time of day.")
      try visitor.member("started_at", &startedAt, "When the daemon started.")
      try visitor.member("uptime_s", &uptimeSeconds, .count, "For how many seconds it has been running.")
      try visitor.member("limits", &limits, "The limits of the wire.")
      try visitor.member("providers", &providers, .items(0...1000), "The providers that are configured.")
      try visitor.member("connections", &connections, .count, "How many connections are open.")
      try visitor.member(
        "open_files_max", &openFilesMax, .count, "How many files and connections the kernel lets the daemon have open.")
      try visitor.member("embedded", &embedded, "Whether it runs a PostgreSQL of its own.")
      try visitor.member("uid", &uid, .count, "The user of this host that it runs as.")
      try visitor.member("spool", &spool, "What is kept until the database takes it.")
    }
  }
}
