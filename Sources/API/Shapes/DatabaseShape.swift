import Accounts

/// How the database does.
public struct DatabaseShape: Shape, Equatable {
  public static let title = "Database"

  public var state = DatabaseState.down
  public var serverVersion: ExactText?
  public var roundTripMicroseconds: Int?
  public var time: Timestamp?
  public var readOnly: Bool?

  public init() {}

  public init(
    state: DatabaseState, serverVersion: ExactText? = nil, roundTripMicroseconds: Int? = nil, time: Timestamp? = nil,
    readOnly: Bool? = nil
  ) {
    self.state = state
    self.serverVersion = serverVersion
    self.roundTripMicroseconds = roundTripMicroseconds
    self.time = time
    self.readOnly = readOnly
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("state", &state, "Whether it answers.")
    try visitor.member("server_version", &serverVersion, .text(bytes: 1...255), "The version of PostgreSQL.")
    try visitor.member(
      "round_trip_us", &roundTripMicroseconds, .count, "How long a query for the time took, in microseconds.")
    try visitor.member("time", &time, "The database's time of day.")
    try visitor.member(
      "read_only", &readOnly,
      "Whether it takes no changes, as a standby; while it is down, true where every host that answers is read-only.")
  }
}
