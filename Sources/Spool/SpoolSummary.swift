import Accounts

/// How much is kept, for who looks after the daemon. Files whose batch is under way do not count.
public struct SpoolSummary: Hashable, Sendable {
  /// What waits for being delivered.
  public internal(set) var files = 0
  public internal(set) var entries = 0
  public internal(set) var bytes = 0
  /// When the oldest of it was received.
  public internal(set) var oldest: Timestamp?
  /// Files, among these, that are for another database than the one that was reached last.
  public internal(set) var filesForOtherDatabases = 0
  /// Files beside these that were set aside, because of what cannot be used in them.
  public internal(set) var filesSetAside = 0

  public init() {}
}
