import Accounts
import Foundation
import Testing
import Vault

@testable import Spool

/// Files that were cut short, changed, or swapped.
@Suite struct DamagedFileTests {
  let trial: SpoolTrial
  let spool: Spool
  let entries: [SpoolEntry]

  init() throws {
    trial = try SpoolTrial()
    spool = try trial.open()
    entries = try (0..<3).map { try SpoolTrial.entry($0, claims: String(repeating: "c", count: 10 * $0)) }
  }

  private func contents(_ file: SpoolFile, _ bytes: [UInt8], keys: Sealer? = nil) throws -> SpoolContents {
    try SpoolContents(of: file, bytes, by: keys ?? SpoolTrial.sealer(), now: SpoolTrial.now)
  }

  /// The bytes of a file with three entries, and where each of them ends.
  private func sample() throws -> (SpoolFile, [UInt8], ends: [Int]) {
    let file = try trial.keep(entries, in: spool)
    let bytes = try trial.bytes(file.name)
    var ends = [SpoolFormat.Head.bytes]
    for piece in SpoolFormat.pieces(in: bytes).0 {
      ends.append(ends[ends.count - 1] + SpoolFormat.Piece.overhead + piece.record.count)
    }
    try #require(ends.count == 4 && ends[3] == bytes.count)
    return (file, bytes, ends)
  }

  @Test func `of a file that was cut anywhere all whole entries are used, and the others counted`() throws {
    let (file, bytes, ends) = try sample()
    for count in 0..<bytes.count {
      let found = try contents(file, Array(bytes[..<count]))
      let whole = max(0, ends.count(where: { $0 <= count }) - 1)
      #expect(found.entries == Array(entries[..<whole]), "cut at \(count)")
      let missing = count < SpoolFormat.Head.bytes ? nil : 3 - whole
      #expect(found.problems.map(\.kind) == [.torn(missing: missing)], "cut at \(count)")
    }
  }

  @Test func `a torn file is gone when it was delivered`() throws {
    let (file, bytes, _) = try sample()
    try trial.write(bytes.dropLast(), to: file.name)
    let delivered = try spool.deliverAll()
    #expect(delivered.entries == Array(entries[..<2]))
    #expect(delivered.problems == [SpoolProblem(file: file.name, kind: .torn(missing: 1))])
    #expect(try trial.names() == [])
  }

  @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
  func `whichever byte is changed, it harms one entry and is told`(_ change: UInt8) throws {
    let (file, bytes, ends) = try sample()
    let kinds = SpoolFormat.mark.count
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= change
      let found = try contents(file, changed)
      switch position {
      case ..<kinds: #expect(found.problems.map(\.kind) == [.unknownFormat], "byte \(position)")
      case ..<(kinds + 16):
        guard case .otherDatabase = found.problems.first?.kind else {
          Issue.record("byte \(position)")
          continue
        }
      // The time of expiry is in each entry as well.
      case ..<(kinds + 24): #expect(found.entries == entries && found.problems == [], "byte \(position)")
      case ..<SpoolFormat.Head.bytes:
        #expect(found.entries == entries && found.problems.count == 1, "byte \(position)")
      default:
        let harmed = ends.count(where: { $0 <= position }) - 1
        var others = entries
        others.remove(at: harmed)
        #expect(found.entries == others, "byte \(position)")
        #expect(found.problems.count == 1 && found.problems[0].isToBeSetAside, "byte \(position): \(found.problems)")
      }
    }
  }

  @Test func `a file with an entry that does not open is set aside when the others were delivered`() throws {
    let (file, bytes, ends) = try sample()
    var changed = bytes
    changed[ends[2] - 30] ^= 1
    try trial.write(changed, to: file.name)
    let delivered = try spool.deliverAll()
    #expect(delivered.entries == [entries[0], entries[2]])
    #expect(delivered.problems == [SpoolProblem(file: file.name, kind: .sealed(entries[1].id, .invalid))])
    #expect(try trial.names() == [file.invalidName])
    #expect(try trial.bytes(file.invalidName) == changed)
    #expect(spool.summary.filesSetAside == 1 && spool.summary.files == 0)
    #expect(!spool.isRepeat(entries[0]))
    #expect(try spool.removeExpired(now: SpoolTrial.inAMonth) == 1)
    #expect(try trial.names() == [])
  }

  @Test func `a file that was set aside is not delivered by the next process until somebody gives it its name back`()
    throws
  {
    let file = try trial.keep(entries, in: spool)
    // A key is missing from the keyset of the moment.
    let other = Sealer(
      try KeyRing(
        Keyset(first: #require(KeyID("k9")), .init(copying: [UInt8](repeating: 9, count: 32))), random: .system),
      databaseID: SpoolTrial.databaseID)
    let taken = try #require(spool.takeOldest(for: SpoolTrial.databaseID))
    let found = try spool.contents(of: taken, by: other, now: SpoolTrial.now)
    #expect(found.entries == [])
    let key = try #require(KeyID("k1"))
    #expect(found.problems.map(\.kind) == entries.map { .sealed($0.id, .unknownKey(key)) })
    try spool.settle(taken, found)
    let spool = try nextProcess()
    #expect(spool.summary.filesSetAside == 1)
    #expect(try spool.deliverAll().entries == [])
    try #require(
      rename("\(trial.folder)/\(file.invalidName)", "\(trial.folder)/\(file.name)") == 0)
    #expect(try nextProcess().deliverAll().entries == entries)
  }

  /// What another process would see; this one keeps the lock of `spool`, so it looks at a copy of the folder.
  private func nextProcess() throws -> Spool {
    let copy = trial.parent + "/" + UUID().uuidString
    try FileManager.default.copyItem(atPath: trial.folder, toPath: copy)
    return try Spool(folder: copy)
  }

  @Test func `an entry opens under no other's id`() throws {
    let (file, bytes, _) = try sample()
    let pieces = SpoolFormat.pieces(in: bytes).0
    let head = try #require(SpoolFormat.Head(bytes))
    let swapped = [
      SpoolFormat.Piece(id: pieces[1].id, record: pieces[0].record),
      SpoolFormat.Piece(id: pieces[0].id, record: pieces[1].record), pieces[2],
    ]
    let found = try contents(file, SpoolFormat.bytes(head, swapped))
    #expect(found.entries == [entries[2]])
    #expect(found.problems.map(\.kind) == [.sealed(entries[1].id, .invalid), .sealed(entries[0].id, .invalid)])
  }

  @Test func `what opens into something unknown is told`() throws {
    let sealer = try SpoolTrial.sealer()
    let id = entries[0].id
    let context = SealingContext(
      domain: .spool, accessGroup: "", account: "", service: "", userID: nil, recordID: id.unique, recordVersion: 1,
      databaseID: sealer.databaseID)
    let texts: [[UInt8]] = [[], [0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 5] + Array("other".utf8)]
    let pieces = try texts.map {
      SpoolFormat.Piece(id: id, record: try sealer.keyRing.seal(.init(copying: $0), in: context).bytes)
    }
    let head = SpoolFormat.Head(databaseID: sealer.databaseID, expiresAt: SpoolTrial.inAMonth, entries: 4)
    let found = try contents(SpoolFile(number: 1), SpoolFormat.bytes(head, pieces))
    #expect(found.problems.map(\.kind) == Array(repeating: .unknownContent(id), count: 4))
  }

  @Test func `zeros, which a disk may give back after the power failed, are no entries`() throws {
    let (file, bytes, ends) = try sample()
    let lost = Array(bytes[..<ends[1]]) + [UInt8](repeating: 0, count: 4096)
    #expect(try contents(file, lost).entries == [entries[0]])
    #expect(try contents(file, [UInt8](repeating: 0, count: 4096)).problems.map(\.kind) == [.unknownFormat])
  }

  @Test func `a thousand people are not to be found in the files or their names`() throws {
    var canaries: Set<UInt64> = []
    func canary() -> String {
      let text = "\(String(UInt64.random(in: .min ... .max), radix: 36))0000000000000".prefix(13)
      canaries.insert(Array(text.utf8.prefix(8)).number(at: 0))
      return String(text)
    }
    let spool = self.spool
    var people: [SpoolEntry] = []
    for number in 0..<500 {
      let plain = try SpoolTrial.entry(number, claims: #"{"email":"\#(canary())@example.org"}"#)
      people.append(
        SpoolEntry(
          id: plain.id,
          identity: IdentityKey(plain.identity.namespace, try #require(Subject(canary()))), link: plain.link,
          caller: plain.caller, receivedAt: plain.receivedAt, expiresAt: plain.expiresAt, claims: plain.claims))
    }
    #expect(canaries.count == 1000)
    for start in stride(from: 0, to: 500, by: 50) { _ = try trial.keep(Array(people[start..<(start + 50)]), in: spool) }
    _ = try spool.learn(databaseID: SpoolTrial.databaseID)
    var window: UInt64 = 0
    var searched = 0
    for name in try trial.names() {
      for byte in try Array(name.utf8) + trial.bytes(name) {
        window = window << 8 | UInt64(byte)
        searched += 1
        if canaries.contains(window) { Issue.record("\(name)") }
      }
    }
    #expect(searched > 500 * 200)
    // The search finds what is there.
    #expect(canaries.contains(Array(people[0].identity.subject.text.string.utf8.prefix(8)).number(at: 0)))
    #expect(try spool.deliverAll().entries == people)
  }
}
