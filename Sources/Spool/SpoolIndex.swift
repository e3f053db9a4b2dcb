import Accounts

/// What is known of the files of a spool without looking at them.
struct SpoolIndex {
  enum State: Hashable {
    /// The batch that wrote it will remove it or have it kept.
    case inHand
    /// It waits for being delivered.
    case kept
    /// Somebody delivers it, or removes it because it has expired.
    case taken
    /// It stays as it is until the next start.
    case left
    /// It bears the other name.
    case setAside
  }

  struct Record {
    var state: State
    var head: SpoolFormat.Head?
    let bytes: Int
    /// Of the entries of which the caller was told that they are kept.
    var digests: [SpoolDigest] = []
  }

  private(set) var records: [SpoolFile: Record] = [:]
  private(set) var bytes = 0
  private(set) var last: UInt64 = 0
  /// What a former process left and this one has not delivered: whose it is shows only when it is opened.
  private var former: Set<SpoolFile> = []
  /// In which file somebody's details are kept.
  private var kept: [SpoolDigest: SpoolFile] = [:]

  /// The next file, which is sorted behind all others.
  mutating func nextFile(at time: Timestamp) -> SpoolFile {
    last = max(last &+ 1, UInt64(clamping: time.microseconds))
    return SpoolFile(number: last)
  }

  mutating func add(_ file: SpoolFile, _ record: Record) {
    guard records[file] == nil else { return }
    if record.state == .kept { former.insert(file) }
    records[file] = record
    bytes += record.bytes
    last = max(last, file.number)
  }

  /// - Returns: whether it was in one of these states.
  @discardableResult
  mutating func change(_ file: SpoolFile, from states: Set<State>, to state: State) -> Bool {
    guard let record = records[file], states.contains(record.state) else { return false }
    records[file]?.state = state
    if state == .setAside || state == .left { forgetDigests(of: file) }
    return true
  }

  mutating func remove(_ file: SpoolFile) {
    forgetDigests(of: file)
    if let record = records.removeValue(forKey: file) { bytes -= record.bytes }
  }

  mutating func keep(_ file: SpoolFile, _ digests: [SpoolDigest]) {
    guard change(file, from: [.inHand, .kept], to: .kept) else { return }
    records[file]?.digests += digests
    for digest in digests { kept[digest] = file }
  }

  func isKept(_ digest: SpoolDigest) -> Bool { kept[digest] != nil }

  /// Whether a file with such an entry, or one that may have it, waits for being delivered to a database.
  ///
  /// - Parameter digest: worked out only if anything is kept at all.
  func isWaiting(_ digest: () -> SpoolDigest?, for databaseID: UniqueID) -> Bool {
    func isFor(_ file: SpoolFile) -> Bool { records[file]?.head.map { $0.databaseID == databaseID } ?? true }
    if former.contains(where: isFor) { return true }
    guard !kept.isEmpty, let digest = digest(), let file = kept[digest] else { return false }
    return isFor(file)
  }

  private mutating func forgetDigests(of file: SpoolFile) {
    former.remove(file)
    for digest in records[file]?.digests ?? [] where kept[digest] == file { kept[digest] = nil }
    records[file]?.digests = []
  }

  /// The oldest file that waits for being delivered to a database.
  func oldest(for databaseID: UniqueID) -> SpoolFile? {
    let waiting = records.lazy.filter { _, record in
      record.state == .kept && (record.head.map { $0.databaseID == databaseID } ?? true)
    }
    return waiting.map(\.key).min { $0.number < $1.number }
  }

  /// Files with what is to be delivered to a database, now or after the next start.
  func waiting(for databaseID: UniqueID) -> [SpoolFile] {
    records.compactMap { file, record in
      let waits = [.kept, .taken, .left].contains(record.state)
      return waits && (record.head.map { $0.databaseID == databaseID } ?? true) ? file : nil
    }
  }

  /// Files of which every entry has expired.
  func expired(at now: Timestamp) -> [(file: SpoolFile, state: State)] {
    records.compactMap { file, record in
      guard let head = record.head, head.expiresAt <= now, [.kept, .left, .setAside].contains(record.state) else {
        return nil
      }
      return (file, record.state)
    }
  }

  func summary(for databaseID: UniqueID?) -> SpoolSummary {
    var summary = SpoolSummary()
    for (file, record) in records {
      switch record.state {
      case .inHand: continue
      case .setAside: summary.filesSetAside += 1
      case .kept, .taken, .left:
        summary.files += 1
        summary.entries += record.head?.entries ?? 0
        summary.bytes += record.bytes
        summary.oldest = min(summary.oldest ?? file.time, file.time)
        if let head = record.head, head.databaseID != databaseID { summary.filesForOtherDatabases += 1 }
      }
    }
    return summary
  }
}
