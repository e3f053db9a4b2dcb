import Accounts
import Crypto
import Glibc
import Synchronization
import Vault

/// Keeps what sign-ins brought, sealed, in files of the state folder, until the database has it: so it outlives the daemon,
/// and the time in which there is no database.
///
/// A batch is written before it goes to the database (``write(_:by:)``) and its file removed once it is committed
/// (``remove(_:)``). When the database turns out to be away the file is forced to the disk instead
/// (``forceToDisk(_:holding:)``), and from then on it is kept. Whoever delivers takes the oldest kept file
/// (``takeOldest(for:)``), reads it (``contents(of:by:now:)``), and then either has delivered it (``settle(_:_:)``) or gives
/// it back (``giveBack(_:)``). Files of a former process are kept ones from the start.
///
/// An entry may be delivered twice: whoever is ended between the commit and the removal leaves its file. Its registration
/// id and the time at which it was said tell.
///
/// What is here blocks in the file system; on a loop use the functions of the same names that take it. All may be called
/// from any thread.
public final class Spool: Sendable {
  /// Bytes of all files: some 100,000 usual sign-ins, or an hour of 30 new people a second, and little beside what a
  /// database takes.
  public static let bytesMax = 64 * 1024 * 1024
  /// As many as ``bytesMax`` has blocks of 4 KiB, since a file takes one at least.
  public static let filesMax = 16_384

  private static let databaseName = "database"

  /// What was found at the start that cannot be used, to be told. It stays as it is.
  public let problemsAtStart: [SpoolProblem]

  private struct State {
    var index = SpoolIndex()
    var databaseID: UniqueID?
  }

  private let folder: SpoolFolder
  private let bytesMax: Int
  private let filesMax: Int
  private let digestKey: SecretBytes
  private let state: Mutex<State>
  /// Held while the id of the database is written.
  private let learning = Mutex(())

  /// Opens a spool for this process alone.
  ///
  /// - Parameters:
  ///   - folder: made if it is not there; what it is in must be.
  ///   - owner: whose it must be, and what is in it; usually the effective user of the process.
  public convenience init(
    folder: String, owner: uid_t = geteuid(), random: RandomSource = .system
  ) throws(SpoolError) {
    try self.init(folder: folder, owner: owner, random: random, bytesMax: Self.bytesMax, filesMax: Self.filesMax)
  }

  init(
    folder path: String, owner: uid_t = geteuid(), random: RandomSource, bytesMax: Int, filesMax: Int
  ) throws(SpoolError) {
    self.bytesMax = bytesMax
    self.filesMax = filesMax
    let folder = try SpoolFolder(path, owner: owner)
    var problems: [SpoolProblem] = []
    let state = State(
      index: try Self.index(of: folder, &problems), databaseID: try Self.databaseID(in: folder, &problems))
    self.folder = folder
    self.state = Mutex(state)
    problemsAtStart = problems
    do {
      digestKey = try random.secret(HMACSHA256.codeBytes, for: .process)
    } catch {
      throw .randomness
    }
  }

  /// How much is kept.
  public var summary: SpoolSummary {
    state.withLock { $0.index.summary(for: $0.databaseID) }
  }

  // MARK: Start

  private static func index(of folder: SpoolFolder, _ problems: inout [SpoolProblem]) throws(SpoolError) -> SpoolIndex {
    var index = SpoolIndex()
    for name in try folder.names() {
      let suffixes: [(String, SpoolIndex.State)] = [(SpoolFile.suffix, .kept), (SpoolFile.invalidSuffix, .setAside)]
      for (suffix, state) in suffixes {
        guard let file = SpoolFile(name: name, suffix: suffix) else { continue }
        switch try folder.read(name, bytesMax: SpoolFormat.Head.bytes) {
        case .bytes(let bytes, let count):
          index.add(file, SpoolIndex.Record(state: state, head: SpoolFormat.Head(bytes), bytes: count))
        case .nothing: break
        case let found: if let kind = found.problem { problems.append(SpoolProblem(file: name, kind: kind)) }
        }
      }
    }
    return index
  }

  private static func databaseID(
    in folder: SpoolFolder, _ problems: inout [SpoolProblem]
  ) throws(SpoolError) -> UniqueID? {
    switch try folder.read(databaseName, bytesMax: 64) {
    case .bytes(let bytes, _):
      let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      if let id = text.first.flatMap({ UniqueID(String($0)) }) { return id }
      problems.append(SpoolProblem(file: databaseName, kind: .noDatabaseID))
    case .nothing: break
    case let found: if let kind = found.problem { problems.append(SpoolProblem(file: databaseName, kind: kind)) }
    }
    return nil
  }

  // MARK: Database

  /// The database that was reached last, by this process or a former one: what is sealed while it is away is for it. Nil
  /// until one was reached.
  public var databaseID: UniqueID? { state.withLock { $0.databaseID } }

  /// Remembers which database was reached, on the disk.
  ///
  /// - Returns: nil, or that another one was served before, which is to be told. What is kept for that one stays, and is
  ///   delivered when it is served again.
  public func learn(databaseID: UniqueID) throws(SpoolError) -> SpoolProblem? {
    try learning.withLock { (_) throws(SpoolError) in
      let former = self.databaseID
      guard former != databaseID else { return nil }
      try folder.replace(Self.databaseName, Array("\(databaseID)\n".utf8))
      state.withLock { $0.databaseID = databaseID }
      return former.map { SpoolProblem(file: Self.databaseName, kind: .otherDatabase($0)) }
    }
  }

  // MARK: Writing

  /// Writes a batch into a file of its own, which outlives the process, though not yet the machine.
  public func write(_ entries: [SpoolEntry], by sealer: Sealer) throws(SpoolError) -> SpoolFile {
    var pieces: [SpoolFormat.Piece] = []
    for entry in entries {
      do throws(SealingError) {
        pieces.append(SpoolFormat.Piece(id: entry.id, record: try entry.sealed(by: sealer).bytes))
      } catch {
        throw .sealing(error, entry.id)
      }
    }
    let start = Timestamp(microseconds: 0)
    let head = SpoolFormat.Head(
      databaseID: sealer.databaseID, expiresAt: entries.map(\.expiresAt).max() ?? start, entries: entries.count)
    let bytes = SpoolFormat.bytes(head, pieces)
    let file = try reserve(
      SpoolIndex.Record(state: .inHand, head: head, bytes: bytes.count), at: entries.first?.receivedAt ?? start)
    do throws(SpoolError) {
      try folder.create(file.name, bytes)
    } catch {
      state.withLock { $0.index.remove(file) }
      throw error
    }
    return file
  }

  private func reserve(_ record: SpoolIndex.Record, at time: Timestamp) throws(SpoolError) -> SpoolFile {
    try state.withLock { (state) throws(SpoolError) in
      let (files, bytes) = (state.index.records.count, state.index.bytes)
      guard files < filesMax, bytes + record.bytes <= bytesMax else { throw .full(files: files, bytes: bytes) }
      let file = state.index.nextFile(at: time)
      state.index.add(file, record)
      return file
    }
  }

  /// Returns when a file that was just written is on the disk; from then on it is kept.
  ///
  /// When it throws, nobody may be told that anything is kept, and it is not to be tried again: the kernel may say the
  /// second time that all is well, without what it lost the first time. Remove the file.
  ///
  /// - Parameter entries: what was written into it.
  public func forceToDisk(_ file: SpoolFile, holding entries: [SpoolEntry]) throws(SpoolError) {
    try folder.forceToDisk(file.name)
    let said = entries.compactMap { self.said(by: $0) }
    state.withLock { $0.index.keep(file, said) }
  }

  /// Removes the file of a batch that the database has, or of which nothing is to be kept.
  public func remove(_ file: SpoolFile) throws(SpoolError) {
    try folder.remove(file.name)
    state.withLock { $0.index.remove(file) }
  }

  /// Whether an entry says just what this process keeps last of the same person, so that it need not be written again. Then
  /// what is kept counts as said when the entry was received, and expires with it.
  public func isRepeat(_ entry: SpoolEntry) -> Bool {
    guard let said = said(by: entry) else { return false }
    return state.withLock { $0.index.repeatLast(said) }
  }

  /// Whether what somebody said waits for being delivered to the database, or may, because a former process kept something.
  /// Who is decided about before that is decided about without it.
  public func isWaiting(_ identity: IdentityKey) -> Bool {
    state.withLock { state in
      guard let databaseID = state.databaseID else { return false }
      return state.index.isWaiting({ try? SpoolDigest(of: identity, key: digestKey) }, for: databaseID)
    }
  }

  /// Nil when the cryptographic library fails; then the details are kept once more.
  private func said(by entry: SpoolEntry) -> SpoolIndex.Said? {
    guard let person = try? SpoolDigest(of: entry.identity, key: digestKey) else { return nil }
    return SpoolIndex.Said(
      person: person, entry: entry.id,
      content: try? SpoolDigest(of: entry.identity, link: entry.link, claims: entry.claims, key: digestKey),
      at: entry.receivedAt, expiresAt: entry.expiresAt)
  }

  // MARK: Delivering

  /// Whether a file is kept for a database.
  public func hasFiles(for databaseID: UniqueID) -> Bool {
    state.withLock { $0.index.oldest(for: databaseID) != nil }
  }

  /// The oldest file that is kept for a database; it is the caller's until settled or given back.
  public func takeOldest(for databaseID: UniqueID) -> SpoolFile? {
    state.withLock { state in
      let file = state.index.oldest(for: databaseID)
      if let file { state.index.change(file, from: [.kept], to: .taken) }
      return file
    }
  }

  /// The ids of the keys that seal what waits for being delivered to a database. What cannot be read has none.
  public func keysInUse(for databaseID: UniqueID) throws(SpoolError) -> Set<KeyID> {
    var keys: Set<KeyID> = []
    for file in state.withLock({ $0.index.waiting(for: databaseID) }) {
      guard case .bytes(let bytes, _) = try folder.read(file.name, bytesMax: bytesMax),
        SpoolFormat.Head(bytes) != nil
      else { continue }
      keys.formUnion(SpoolFormat.pieces(in: bytes).0.compactMap { try? SealedRecord($0.record).keyID })
    }
    return keys
  }

  /// Everything that can be used of a file, and what cannot.
  ///
  /// - Throws: when it can be read another time: the process lacks descriptors or memory.
  public func contents(of file: SpoolFile, by sealer: Sealer, now: Timestamp) throws(SpoolError) -> SpoolContents {
    switch try folder.read(file.name, bytesMax: bytesMax) {
    case .bytes(let bytes, let count) where count == bytes.count:
      return try SpoolContents(of: file, bytes, by: sealer, now: now) { asSaidLast($0) }
    case let found:
      // More than the spool may hold is none of its files.
      return SpoolContents(file, found.problem ?? .notOurs)
    }
  }

  /// An entry with the time at which it was said last.
  private func asSaidLast(_ entry: SpoolEntry) -> SpoolEntry {
    guard let person = try? SpoolDigest(of: entry.identity, key: digestKey),
      let last = state.withLock({ $0.index.last(entry.id, of: person) })
    else { return entry }
    return entry.said(at: last.at, until: last.expiresAt)
  }

  /// Ends with a file whose entries were delivered. It is removed; or, if something in it does not open or cannot be told,
  /// set aside under ``SpoolFile/invalidName``, for somebody to look after; or left as it is, if nothing in it could be
  /// used by us. When it throws, give the file back.
  public func settle(_ file: SpoolFile, _ contents: SpoolContents) throws(SpoolError) {
    guard !contents.problems.contains(where: \.isToBeLeft) else {
      state.withLock { _ = $0.index.change(file, from: [.taken], to: .left) }
      return
    }
    let isSetAside = contents.problems.contains(where: \.isToBeSetAside)
    if isSetAside { try folder.rename(file.name, to: file.invalidName) } else { try folder.remove(file.name) }
    state.withLock { state in
      if isSetAside { state.index.change(file, from: [.taken], to: .setAside) } else { state.index.remove(file) }
    }
    // Or else what was delivered would be there again after the machine went down.
    try folder.forceNames()
  }

  /// Keeps a file that could not be delivered now.
  public func giveBack(_ file: SpoolFile) {
    state.withLock { _ = $0.index.change(file, from: [.taken], to: .kept) }
  }

  /// Leaves a file as it is until the next start, because it cannot be delivered though the database is there.
  public func leave(_ file: SpoolFile) {
    state.withLock { _ = $0.index.change(file, from: [.taken], to: .left) }
  }

  // MARK: Forgetting

  /// Takes out everything that was said of identities up to a moment, in the files that rest here for a database. What a batch
  /// has under way, or somebody delivers just now, stays; so does what was said later, for that is somebody new.
  public func forget(
    _ identities: Set<IdentityKey>, saidUntil moment: Timestamp, by sealer: Sealer
  ) throws(SpoolError) {
    let resting = state.withLock { state in
      state.index.resting(for: sealer.databaseID).filter { state.index.change($0.file, from: [$0.state], to: .taken) }
    }
    var failure: SpoolError?
    for (file, former) in resting {
      do throws(SpoolError) {
        let name = former == .setAside ? file.invalidName : file.name
        try forget(identities, saidUntil: moment, in: file, named: name, by: sealer)
      } catch {
        failure = error
      }
      // One that is gone is in no state.
      state.withLock { _ = $0.index.change(file, from: [.taken], to: former) }
    }
    if let failure { throw failure }
  }

  private func forget(
    _ identities: Set<IdentityKey>, saidUntil moment: Timestamp, in file: SpoolFile, named name: String,
    by sealer: Sealer
  ) throws(SpoolError) {
    guard case .bytes(let bytes, let count) = try folder.read(name, bytesMax: bytesMax), count == bytes.count,
      let head = SpoolFormat.Head(bytes)
    else { return }
    // What has expired is looked at as well.
    let beginning = Timestamp(microseconds: .min)
    let contents = try SpoolContents(of: file, bytes, by: sealer, now: beginning)
    let isForgotten = { (entry: SpoolEntry) in identities.contains(entry.identity) && entry.receivedAt <= moment }
    let forgotten = Set(contents.entries.filter(isForgotten).map(\.id))
    guard !forgotten.isEmpty else { return }
    let pieces = SpoolFormat.pieces(in: bytes).0
    let left = pieces.filter { !forgotten.contains($0.id) }
    guard !left.isEmpty else {
      try folder.remove(name)
      try folder.forceNames()
      state.withLock { $0.index.remove(file) }
      return
    }
    let newHead = SpoolFormat.Head(
      databaseID: head.databaseID, expiresAt: head.expiresAt,
      entries: max(left.count, head.entries - (pieces.count - left.count)))
    let newBytes = SpoolFormat.bytes(newHead, left)
    try folder.replace(name, newBytes)
    let gone = identities.subtracting(contents.entries.filter { !isForgotten($0) }.map(\.identity))
    let people = Set(gone.compactMap { try? SpoolDigest(of: $0, key: digestKey) })
    state.withLock { $0.index.forget(people, in: file, leaving: newHead, bytes: newBytes.count) }
  }

  /// What is in the files that rest here for a database, by their times.
  func resting(for databaseID: UniqueID) throws(SpoolError) -> [(file: SpoolFile, bytes: [UInt8])] {
    var found: [(file: SpoolFile, bytes: [UInt8])] = []
    for (file, state) in state.withLock({ $0.index.resting(for: databaseID) }) {
      let name = state == .setAside ? file.invalidName : file.name
      guard case .bytes(let bytes, let count) = try folder.read(name, bytesMax: bytesMax), count == bytes.count else {
        continue
      }
      found.append((file, bytes))
    }
    return found.sorted { $0.file.number < $1.file.number }
  }

  /// Removes a file that nobody has in hand, whatever it is called by now.
  func removeResting(_ file: SpoolFile) throws(SpoolError) {
    try folder.remove(file.name)
    try folder.remove(file.invalidName)
    state.withLock { $0.index.remove(file) }
    try folder.forceNames()
  }

  /// Removes the files of which every entry has expired, whichever database they are for, and those that were set aside as
  /// well.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func removeExpired(now: Timestamp) throws(SpoolError) -> Int {
    let expired = state.withLock { state in
      state.index.expired(at: now).filter { state.index.change($0.file, from: [$0.state], to: .taken) }
    }
    var removed = 0
    var failure: SpoolError?
    for (file, former) in expired {
      do throws(SpoolError) {
        try folder.remove(former == .setAside ? file.invalidName : file.name)
        state.withLock { $0.index.remove(file) }
        removed += 1
      } catch {
        state.withLock { _ = $0.index.change(file, from: [.taken], to: former) }
        failure = error
      }
    }
    if let failure { throw failure }
    return removed
  }
}

extension SpoolFolder.Found {
  /// Why nothing can be read; nil if it can.
  fileprivate var problem: SpoolProblem.Kind? {
    switch self {
    case .bytes: nil
    case .nothing: .gone
    case .notOurs: .notOurs
    case .unreadable(let code): .unreadable(code: code)
    }
  }
}
