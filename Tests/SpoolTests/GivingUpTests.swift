import Accounts
import Glibc
import TestSupport
import Testing
import Vault

@testable import Spool

/// Files that keys sealed which nobody has any more.
@Suite struct GivingUpTests {
  private let trial: SpoolTrial

  init() throws {
    trial = try SpoolTrial()
  }

  private func sealer(_ number: UInt8, databaseID: UniqueID = SpoolTrial.databaseID) throws -> Sealer {
    let keyset = try Keyset(first: TestKeys.keyID("k\(number)"), TestKeys.key(number))
    return Sealer(try KeyRing(keyset, random: .system), databaseID: databaseID)
  }

  /// Leaves a file as a process does that was ended.
  private func leave(_ numbers: Range<Int>, by sealer: Sealer) throws -> SpoolFile {
    let entries = try SpoolTrial.entries(numbers)
    let spool = try trial.open()
    let file = try spool.write(entries, by: sealer)
    try spool.forceToDisk(file, holding: entries)
    return file
  }

  @Test func `only what lost keys sealed for this database goes, also what was set aside`() throws {
    let lost = [try leave(0..<2, by: sealer(7)), try leave(2..<3, by: sealer(8))]
    let other = UniqueID(high: 1, low: 2)
    let left = [
      try leave(3..<5, by: sealer(1)).name, try leave(5..<6, by: sealer(7, databaseID: other)).name,
    ]
    try #require(rename("\(trial.folder)/\(lost[0].name)", "\(trial.folder)/\(lost[0].invalidName)") == 0)
    try trial.write([1, 2, 3], to: "000000000000ffff.entries")
    let spool = try trial.open()
    let loss = try spool.loss(for: SpoolTrial.databaseID, knowing: [TestKeys.keyID("k1")])
    #expect(loss.files == lost && loss.entries == 3)
    #expect(try loss.keys == [TestKeys.keyID("k7"), TestKeys.keyID("k8")])
    #expect(try trial.names().count == 5)
    try spool.giveUp(loss)
    #expect(try trial.names() == ["000000000000ffff.entries"] + left)
    #expect(try spool.loss(for: SpoolTrial.databaseID, knowing: [TestKeys.keyID("k1")]) == SpoolLoss())
    #expect(try spool.keysInUse(for: SpoolTrial.databaseID) == [TestKeys.keyID("k1")])
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func `root may look into the spool of a daemon that is not root, and leaves it the daemon's`() throws {
    let daemon: uid_t = 12_345
    let file = try leave(0..<1, by: sealer(7))
    for name in ["", "/lock", "/\(file.name)"] { try #require(chown(trial.folder + name, daemon, .max) == 0) }
    #expect(throws: SpoolError.wrongOwner(path: trial.folder, uid: daemon, expected: 0)) { try trial.open() }
    try #require(unlink(trial.folder + "/lock") == 0)
    let spool = try Spool(folder: trial.folder, owner: daemon)
    #expect(try spool.loss(for: SpoolTrial.databaseID, knowing: []).files == [file])
    #expect(try trial.status("lock").st_uid == daemon)
  }
}
