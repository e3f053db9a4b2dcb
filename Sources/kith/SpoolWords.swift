import API

/// What a daemon's spool holds, for people.
struct SpoolWords {
  private let spool: SpoolShape

  init(_ spool: SpoolShape) {
    self.spool = spool
  }

  /// What waits; nil for nothing.
  var waiting: String? {
    guard spool.entries > 0 || spool.filesForOtherDatabases > 0 else { return nil }
    let since = spool.oldestAt.map { " since \(DisplayedTime.minutes($0))" } ?? ""
    return "\(spool.entries) \(spool.entries == 1 ? "sign-in waits" : "sign-ins wait")\(since), \(spool.bytes) bytes"
  }

  var setAside: String? {
    files(
      spool.filesSetAside, "is set aside: it holds what cannot be opened",
      "are set aside: they hold what cannot be opened")
  }

  var forOtherDatabases: String? {
    files(spool.filesForOtherDatabases, "of it is for another database", "of it are for another database")
  }

  private func files(_ count: Int, _ one: String, _ many: String) -> String? {
    guard count > 0 else { return nil }
    return count == 1 ? "1 file \(one)" : "\(count) files \(many)"
  }
}
