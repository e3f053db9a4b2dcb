import Accounts

/// Details of sign-ins that are kept, sealed, in the daemon's state folder until the database takes them.
public struct SpoolShape: Shape, Equatable {
  public static let title = "Spool"

  public var entries = 0
  public var bytes = 0
  public var oldestAt: Timestamp?
  public var filesSetAside = 0
  public var filesForOtherDatabases = 0

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("entries", &entries, .count, "How many sign-ins wait.")
    try visitor.member("bytes", &bytes, .count, "How much room they take.")
    try visitor.member("oldest_at", &oldestAt, "When the oldest came; absent when none waits.")
    try visitor.member(
      "files_set_aside", &filesSetAside, .count, "How many files hold something that cannot be opened; see the journal."
    )
    try visitor.member(
      "files_for_other_databases", &filesForOtherDatabases, .count,
      "How many files wait for another database than the one that is served.")
  }
}
