import Accounts
import Crypto
import Foundation
import Testing
import Vault

@testable import Spool

@Suite struct SpoolTests {
  let trial: SpoolTrial

  init() throws { trial = try SpoolTrial() }

  @Test func `a batch that was committed leaves nothing`() throws {
    let spool = try trial.open()
    let file = try spool.write(SpoolTrial.entries(0..<64), by: SpoolTrial.sealer())
    #expect(try trial.names() == [file.name])
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == nil, "its batch is under way")
    #expect(spool.summary == SpoolSummary())
    try spool.remove(file)
    #expect(try trial.names() == [])
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == nil)
  }

  @Test func `what is kept is delivered once, as it was, and is gone`() throws {
    let spool = try trial.open()
    let entries = try SpoolTrial.entries(0..<64)
    _ = try trial.keep(entries, in: spool)
    let delivered = try spool.deliverAll()
    #expect(delivered.entries == entries)
    #expect(delivered.problems == [])
    #expect(try spool.deliverAll().entries == [])
    #expect(try trial.names() == [])
    #expect(spool.summary == SpoolSummary())
  }

  @Test func `what is forgotten of somebody is taken out, and all else stays`() throws {
    for isOfFormerProcess in [false, true] {
      let trial = try SpoolTrial()
      var spool: Spool? = try trial.open()
      let entries = try SpoolTrial.entries(0..<8)
      let expired = try SpoolTrial.entry(3, claims: "{}", expiresAt: SpoolTrial.now.advanced(bySeconds: -1))
      if let spool {
        _ = try trial.keep(entries, in: spool)
        _ = try trial.keep([entries[3], expired], in: spool)
      }
      if isOfFormerProcess { spool = nil }
      let reopened = try spool ?? trial.open()
      _ = try reopened.learn(databaseID: SpoolTrial.databaseID)
      let inHand = try reopened.write([entries[3]], by: SpoolTrial.sealer())
      let earlier = SpoolTrial.now.advanced(bySeconds: -1)
      try reopened.forget([entries[3].identity], saidUntil: earlier, by: SpoolTrial.sealer())
      #expect(try trial.names().count == 4, "what was said later is somebody new's")
      try reopened.forget([entries[3].identity], saidUntil: SpoolTrial.now, by: SpoolTrial.sealer())
      #expect(try trial.names().count == 3, "the file of theirs alone is gone, and what is under way is not touched")
      #expect(reopened.summary.entries == 7)
      if !isOfFormerProcess {
        #expect(!reopened.isWaiting(entries[3].identity) && reopened.isWaiting(entries[4].identity))
      }
      try reopened.forget([entries[3].identity], saidUntil: SpoolTrial.now, by: SpoolTrial.sealer())
      let delivered = try reopened.deliverAll()
      #expect(delivered.entries == entries.filter { $0 != entries[3] } && delivered.problems == [])
      try reopened.remove(inHand)
      #expect(try trial.names() == ["database"] && reopened.summary == SpoolSummary())
    }
  }

  @Test func `an entry of any content comes back byte for byte`() throws {
    let spool = try trial.open()
    let subjects = ["x", String(repeating: "é", count: 127), "\u{0}\u{2028}:/{}"]
    var entries: [SpoolEntry] = []
    for (number, text) in subjects.enumerated() {
      entries.append(
        SpoolEntry(
          id: RegistrationID(UniqueID(high: .max, low: UInt64(number))),
          identity: IdentityKey(try #require(Namespace("naver:a:b ü")), try #require(Subject(text))), link: "",
          caller: try #require(CallerName("~")), receivedAt: Timestamp(microseconds: .min),
          expiresAt: Timestamp(microseconds: .max),
          claims: SecretBytes(copying: [UInt8](repeating: UInt8(number), count: number * 40_000))))
    }
    _ = try trial.keep(entries, in: spool)
    #expect(try spool.deliverAll().entries == entries)
  }

  @Test func `files are delivered from the oldest on, also by the next process, and whatever the clock did`() throws {
    let received = [5.0, 1, 5, -40, 5, 1000].map { SpoolTrial.now.advanced(bySeconds: $0) }
    let entries = try received.enumerated().map { try SpoolTrial.entry($0, receivedAt: $1) }
    do {
      let spool = try trial.open()
      // The order of writing counts, not that of the forcing.
      let sealer = try SpoolTrial.sealer()
      let files = try entries[..<3].map { try spool.write([$0], by: sealer) }
      for (file, entry) in zip(files, entries).reversed() { try spool.forceToDisk(file, holding: [entry]) }
      #expect(try trial.names() == files.map(\.name))
    }
    let spool = try trial.open()
    for entry in entries[3...] { _ = try trial.keep([entry], in: spool) }
    #expect(spool.summary.oldest == received[0])
    #expect(try spool.deliverAll().entries == entries)
  }

  @Test func `a file that could not be delivered is given back and comes first again`() throws {
    let spool = try trial.open()
    let first = try trial.keep(SpoolTrial.entries(0..<1), in: spool)
    let second = try trial.keep(SpoolTrial.entries(1..<2), in: spool)
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == first)
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == second)
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == nil)
    #expect(spool.summary.files == 2)
    spool.giveBack(second)
    spool.giveBack(first)
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == first)
  }

  @Test func `the summary tells what waits, and the next process tells the same`() throws {
    var expected = SpoolSummary()
    do {
      let spool = try trial.open()
      let files = [
        try trial.keep(SpoolTrial.entries(0..<3), in: spool), try trial.keep([SpoolTrial.entry(4)], in: spool),
      ]
      expected.files = 2
      expected.entries = 4
      expected.bytes = try files.reduce(0) { $0 + (try trial.bytes($1.name).count) }
      expected.oldest = SpoolTrial.now
      expected.filesForOtherDatabases = 2
      #expect(spool.summary == expected)
      #expect(try spool.learn(databaseID: SpoolTrial.databaseID) == nil)
      expected.filesForOtherDatabases = 0
      #expect(spool.summary == expected)
    }
    #expect(try trial.open().summary == expected)
  }

  // MARK: Who waits

  @Test func `whose details wait is known until they are delivered, and after a start anybody's may`() throws {
    let (first, second) = (try SpoolTrial.entry(1), try SpoolTrial.entry(2))
    do {
      let spool = try trial.open()
      _ = try spool.learn(databaseID: SpoolTrial.databaseID)
      #expect(!spool.isWaiting(first.identity))
      let file = try spool.write([first], by: SpoolTrial.sealer())
      #expect(!spool.isWaiting(first.identity))
      try spool.forceToDisk(file, holding: [first])
      #expect(spool.isWaiting(first.identity) && !spool.isWaiting(second.identity))
    }
    let spool = try trial.open()
    #expect(spool.isWaiting(first.identity) && spool.isWaiting(second.identity))
    let file = try #require(spool.takeOldest(for: SpoolTrial.databaseID))
    #expect(spool.isWaiting(second.identity))
    // What cannot be delivered keeps nobody waiting.
    spool.leave(file)
    #expect(!spool.isWaiting(first.identity))
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == nil)
    #expect(spool.summary.files == 1)
  }

  // MARK: Details that come again

  @Test func `details that are kept are known again until they are delivered`() throws {
    let spool = try trial.open()
    let entry = try SpoolTrial.entry(1)
    func isRepeat(_ entry: SpoolEntry, link: ExactText? = nil, claims: String? = nil) -> Bool {
      spool.isRepeat(
        SpoolEntry(
          id: entry.id, identity: entry.identity, link: link ?? entry.link, caller: entry.caller,
          receivedAt: entry.receivedAt, expiresAt: entry.expiresAt,
          claims: claims.map { SecretBytes(copying: $0.utf8) } ?? entry.claims))
    }
    #expect(!isRepeat(entry))
    let file = try spool.write([entry, SpoolTrial.entry(2)], by: SpoolTrial.sealer())
    #expect(!isRepeat(entry), "it may be lost yet")
    try spool.forceToDisk(file, holding: [entry, SpoolTrial.entry(2)])
    #expect(isRepeat(entry))
    #expect(isRepeat(try SpoolTrial.entry(2)))
    #expect(!isRepeat(try SpoolTrial.entry(3)))
    #expect(!isRepeat(entry, link: "never"))
    #expect(!isRepeat(entry, claims: "{}"))
    // The same bytes in all, cut elsewhere.
    #expect(!isRepeat(entry, link: "verified_emai", claims: "l" + #"{"email":"person-1@example.org"}"#))
    let contents = try spool.contents(
      of: try #require(spool.takeOldest(for: SpoolTrial.databaseID)), by: SpoolTrial.sealer(), now: SpoolTrial.now)
    #expect(!isRepeat(entry), "when it was said is read already")
    spool.giveBack(file)
    #expect(isRepeat(entry))
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == file)
    try spool.settle(file, contents)
    #expect(!isRepeat(entry))
  }

  @Test func `only what somebody said last is a repeat, and it counts as said and held from then on`() throws {
    let spool = try trial.open()
    _ = try spool.learn(databaseID: SpoolTrial.databaseID)
    func said(_ claims: String, after seconds: Double) throws -> SpoolEntry {
      let at = SpoolTrial.now.advanced(bySeconds: seconds)
      return try SpoolTrial.entry(1, claims: claims, receivedAt: at, expiresAt: at.advanced(bySeconds: 60))
    }
    let first = try trial.keep([said("no", after: 0)], in: spool)
    #expect(try spool.isRepeat(said("no", after: 1)))
    // A batch that was begun between the two and is kept only now says nothing that is later.
    let second = try trial.keep([said("yes", after: 0.5)], in: spool)
    #expect(try spool.isRepeat(said("no", after: 2)) && !spool.isRepeat(said("yes", after: 3)))
    _ = try trial.keep([said("yes", after: 3)], in: spool)
    #expect(try !spool.isRepeat(said("no", after: 4)) && spool.isRepeat(said("yes", after: 50)))
    _ = try trial.keep([said("no", after: 51)], in: spool)
    #expect(try spool.isRepeat(said("no", after: 80)))
    // By then all but the last would have expired.
    let now = SpoolTrial.now.advanced(bySeconds: 120)
    #expect(try spool.removeExpired(now: now) == 3)
    #expect(!(try trial.names().contains { [first.name, second.name].contains($0) }))
    #expect(spool.isWaiting(try said("no", after: 0).identity))
    let delivered = try spool.deliverAll(now: now).entries
    #expect(delivered.map(\.receivedAt) == [SpoolTrial.now.advanced(bySeconds: 80)])
    #expect(delivered.map(\.expiresAt) == [SpoolTrial.now.advanced(bySeconds: 140)])
    #expect(!spool.isWaiting(try said("no", after: 0).identity))
  }

  @Test func `somebody waits until the last of their files is delivered, in whichever it is what they said last`()
    throws
  {
    let spool = try trial.open()
    _ = try spool.learn(databaseID: SpoolTrial.databaseID)
    let entry = try SpoolTrial.entry(1)
    _ = try trial.keep([entry], in: spool)
    _ = try trial.keep(
      [SpoolTrial.entry(1, claims: "{}", receivedAt: SpoolTrial.now.advanced(bySeconds: -1))], in: spool)
    for isLast in [false, true] {
      #expect(spool.isWaiting(entry.identity))
      let file = try #require(spool.takeOldest(for: SpoolTrial.databaseID))
      try spool.settle(file, spool.contents(of: file, by: SpoolTrial.sealer(), now: SpoolTrial.now))
      #expect(spool.isWaiting(entry.identity) == !isLast)
    }
  }

  // MARK: Age

  @Test func `what has expired is not delivered`() throws {
    let spool = try trial.open()
    let entries = try [1, 2, 3].map {
      try SpoolTrial.entry($0, expiresAt: SpoolTrial.now.advanced(bySeconds: Double($0)))
    }
    _ = try trial.keep(entries, in: spool)
    let delivered = try spool.deliverAll(now: SpoolTrial.now.advanced(bySeconds: 2))
    #expect(delivered.entries == [entries[2]])
    #expect(delivered.expired == 2)
    #expect(try trial.names() == [])
  }

  @Test func `a file goes when its last entry has expired, whether somebody could deliver it or not`() throws {
    let spool = try trial.open()
    let soon = SpoolTrial.now.advanced(bySeconds: 60)
    let later = SpoolTrial.now.advanced(bySeconds: 120)
    _ = try trial.keep([SpoolTrial.entry(1, expiresAt: soon)], in: spool)
    let other = try SpoolTrial.sealer(databaseID: UniqueID(high: 1, low: 1))
    _ = try trial.keep([SpoolTrial.entry(2, expiresAt: soon)], in: spool, by: other)
    let mixed = try trial.keep(
      [SpoolTrial.entry(3, expiresAt: soon), SpoolTrial.entry(4, expiresAt: later)], in: spool)
    let inHand = try spool.write([SpoolTrial.entry(5, expiresAt: soon)], by: other)
    #expect(try spool.removeExpired(now: SpoolTrial.now) == 0)
    #expect(try spool.removeExpired(now: soon) == 2)
    #expect(try trial.names() == [mixed.name, inHand.name])
    #expect(try spool.removeExpired(now: later) == 1)
    #expect(try trial.names() == [inHand.name])
  }

  // MARK: Databases

  @Test func `the id of the database is there for the next process`() throws {
    do {
      let spool = try trial.open()
      #expect(spool.databaseID == nil)
      #expect(try spool.learn(databaseID: SpoolTrial.databaseID) == nil)
      #expect(spool.databaseID == SpoolTrial.databaseID)
      #expect(try spool.learn(databaseID: SpoolTrial.databaseID) == nil)
    }
    #expect(try trial.bytes("database") == Array("\(SpoolTrial.databaseID)\n".utf8))
    #expect(try trial.open().databaseID == SpoolTrial.databaseID)
  }

  @Test func `another database is told and gets nothing; the former one still does`() throws {
    let spool = try trial.open()
    _ = try spool.learn(databaseID: SpoolTrial.databaseID)
    let entries = try SpoolTrial.entries(0..<2)
    let file = try trial.keep(entries, in: spool)
    let other = UniqueID(high: 0x01a2_2b08_8821_7000, low: 0x8000_0000_0000_00dc)
    let problem = try spool.learn(databaseID: other)
    #expect(problem == SpoolProblem(file: "database", kind: .otherDatabase(SpoolTrial.databaseID)))
    #expect(try spool.deliverAll(to: other).entries == [])
    #expect(spool.summary.filesForOtherDatabases == 1)
    // Even if somebody asked.
    let contents = try spool.contents(of: file, by: SpoolTrial.sealer(databaseID: other), now: SpoolTrial.now)
    #expect(contents.entries == [])
    #expect(contents.problems.map(\.kind) == [.otherDatabase(SpoolTrial.databaseID)])
    let next = try SpoolEntry.open(
      SpoolFormat.pieces(in: trial.bytes(file.name)).0[0].record, id: entries[0].id, by: SpoolTrial.sealer())
    #expect(next == entries[0])
    #expect(try spool.learn(databaseID: SpoolTrial.databaseID)?.kind == .otherDatabase(other))
    #expect(try spool.deliverAll().entries == entries)
  }

  @Test(arguments: ["", "\n", "no id", "01a22b08-8821-7000-8000-0000000000d"])
  func `a file without an id of a database is told, and written anew`(_ text: String) throws {
    _ = try trial.open()
    try trial.write(text.utf8, to: "database")
    try trial.write([], to: "database.new")
    let spool = try trial.open()
    #expect(spool.problemsAtStart == [SpoolProblem(file: "database", kind: .noDatabaseID)])
    #expect(spool.databaseID == nil)
    #expect(try spool.learn(databaseID: SpoolTrial.databaseID) == nil)
    #expect(try trial.names() == ["database"])
  }

  // MARK: Bounds

  @Test func `a spool that is full says so and takes more when there is room`() throws {
    let entries = try SpoolTrial.entries(0..<1)
    let size = try trial.bytes(trial.keep(entries, in: trial.open()).name).count
    let spool = try Spool(folder: trial.folder, random: .system, bytesMax: 3 * size, filesMax: 100)
    let sealer = try SpoolTrial.sealer()
    _ = try spool.write(entries, by: sealer)
    let last = try spool.write(entries, by: sealer)
    #expect(throws: SpoolError.full(files: 3, bytes: 3 * size)) { try spool.write(entries, by: sealer) }
    try spool.remove(last)
    _ = try spool.write(entries, by: sealer)
  }

  @Test func `the number of files is bounded, also of those set aside`() throws {
    let spool = try Spool(folder: trial.folder, random: .system, bytesMax: Spool.bytesMax, filesMax: 2)
    let file = try trial.keep(SpoolTrial.entries(0..<1), in: spool)
    var bytes = try trial.bytes(file.name)
    bytes[SpoolFormat.Head.bytes] ^= 1
    try trial.write(bytes, to: file.name)
    #expect(try spool.deliverAll().problems.count == 1)
    #expect(spool.summary.filesSetAside == 1)
    _ = try spool.write(SpoolTrial.entries(0..<1), by: SpoolTrial.sealer())
    let error = #expect(throws: SpoolError.self) {
      try spool.write(SpoolTrial.entries(0..<1), by: SpoolTrial.sealer())
    }
    guard case .full(files: 2, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an entry that is too large is told by its registration, and nothing is written`() throws {
    let spool = try trial.open()
    let large = try SpoolTrial.entry(2, claims: String(repeating: "x", count: SealedRecord.contentBytesMax))
    let error = SpoolError.sealing(.tooLarge(bytesMax: SealedRecord.contentBytesMax), large.id)
    #expect(throws: error) { try spool.write([SpoolTrial.entry(1), large], by: SpoolTrial.sealer()) }
    #expect(try trial.names() == [])
  }
}
