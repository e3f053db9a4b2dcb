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
    var bytes: Int
    /// Whose details are in it of which the caller was told that they are kept.
    var people: [SpoolDigest] = []
  }

  /// What somebody said, of which the caller was told that it is kept.
  struct Said {
    let person: SpoolDigest
    let entry: RegistrationID
    /// Nil for what is not known again.
    let content: SpoolDigest?
    var at: Timestamp
    var expiresAt: Timestamp
  }

  /// What is kept of one person.
  private struct Kept {
    var files: Set<SpoolFile> = []
    /// What they said last, and in which of the files it is; nil once that is delivered.
    var last: (said: Said, file: SpoolFile)?
  }

  private(set) var records: [SpoolFile: Record] = [:]
  private(set) var bytes = 0
  private(set) var last: UInt64 = 0
  /// What a former process left and this one has not delivered: whose it is shows only when it is opened.
  private var former: Set<SpoolFile> = []
  private var kept: [SpoolDigest: Kept] = [:]

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
    if state == .setAside || state == .left { forgetPeople(of: file) }
    return true
  }

  mutating func remove(_ file: SpoolFile) {
    forgetPeople(of: file)
    if let record = records.removeValue(forKey: file) { bytes -= record.bytes }
  }

  /// - Parameter said: what is in the file, in the order in which it stands there.
  mutating func keep(_ file: SpoolFile, _ said: [Said]) {
    guard change(file, from: [.inHand, .kept], to: .kept) else { return }
    for said in said {
      records[file]?.people.append(said.person)
      var kept = self.kept[said.person] ?? Kept()
      kept.files.insert(file)
      // A file that was begun earlier may be kept later.
      if kept.last.map({ $0.said.at <= said.at }) ?? true { kept.last = (said, file) }
      self.kept[said.person] = kept
    }
  }

  /// Takes what somebody says for said now, if it is what they said last of what is kept.
  ///
  /// - Returns: whether it is. What somebody delivers is not any more, for when it was said is read already.
  mutating func repeatLast(_ said: Said) -> Bool {
    guard let content = said.content, let (last, file) = kept[said.person]?.last, last.content == content,
      let record = records[file], record.state == .kept
    else { return false }
    kept[said.person]?.last?.said.at = max(last.at, said.at)
    kept[said.person]?.last?.said.expiresAt = max(last.expiresAt, said.expiresAt)
    records[file]?.head = record.head.map { $0.lasting(until: said.expiresAt) }
    return true
  }

  /// When an entry was said last and when it expires, if it is the last of a person's.
  func last(_ entry: RegistrationID, of person: SpoolDigest) -> Said? {
    guard let last = kept[person]?.last?.said, last.entry == entry else { return nil }
    return last
  }

  /// Whether a file with something of a person, or one that may have it, waits for being delivered to a database.
  ///
  /// - Parameter person: worked out only if anything is kept at all.
  func isWaiting(_ person: () -> SpoolDigest?, for databaseID: UniqueID) -> Bool {
    func isFor(_ file: SpoolFile) -> Bool { records[file]?.head.map { $0.databaseID == databaseID } ?? true }
    if former.contains(where: isFor) { return true }
    guard !kept.isEmpty, let person = person(), let files = kept[person]?.files else { return false }
    return files.contains(where: isFor)
  }

  /// Takes account of that a file was written anew without what these people said.
  mutating func forget(_ people: Set<SpoolDigest>, in file: SpoolFile, leaving head: SpoolFormat.Head, bytes: Int) {
    guard let record = records[file] else { return }
    self.bytes += bytes - record.bytes
    records[file]?.head = head
    records[file]?.bytes = bytes
    records[file]?.people.removeAll { people.contains($0) }
    for person in people { forget(person, in: file) }
  }

  private mutating func forget(_ person: SpoolDigest, in file: SpoolFile) {
    kept[person]?.files.remove(file)
    if kept[person]?.last?.file == file { kept[person]?.last = nil }
    if kept[person]?.files.isEmpty == true { kept[person] = nil }
  }

  private mutating func forgetPeople(of file: SpoolFile) {
    former.remove(file)
    for person in records[file]?.people ?? [] { forget(person, in: file) }
    records[file]?.people = []
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

  /// Files in which something of a person may stand who is to be forgotten, of those that nobody has in hand.
  func resting(for databaseID: UniqueID) -> [(file: SpoolFile, state: State)] {
    records.compactMap { file, record in
      guard record.head?.databaseID == databaseID, [.kept, .left, .setAside].contains(record.state) else { return nil }
      return (file, record.state)
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
