import Accounts
import Crypto
import Foundation
import TestSupport
import Testing
import Vault

@testable import Spool

/// A folder for a spool, removed with its owner, and people to put into it.
final class SpoolTrial: Sendable {
  static let databaseID = UniqueID(high: 0x01a2_2b08_8821_7000, low: 0x8000_0000_0000_00db)
  static let now = Timestamp(microseconds: 1_796_018_309_153_000)
  static let inAMonth = now.advanced(bySeconds: 30 * 86_400)

  let parent = NSTemporaryDirectory() + "kith-spool-" + UUID().uuidString
  var folder: String { parent + "/spool" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: parent)
  }

  static func sealer(databaseID: UniqueID = databaseID) throws -> Sealer {
    Sealer(try KeyRing(TestKeys.keyset(), random: .system), databaseID: databaseID)
  }

  static func entry(
    _ number: Int, claims: String? = nil, receivedAt: Timestamp = now, expiresAt: Timestamp = inAMonth
  ) throws -> SpoolEntry {
    SpoolEntry(
      id: RegistrationID(version7At: receivedAt, random: (UInt64(number), UInt64(number) << 2)),
      identity: IdentityKey(
        try #require(Namespace("apple:DEMOTEAM01")), try #require(Subject("001482.subject.\(number)"))),
      link: "verified_email", caller: try #require(CallerName("web")), receivedAt: receivedAt, expiresAt: expiresAt,
      claims: SecretBytes(copying: (claims ?? #"{"email":"person-\#(number)@example.org"}"#).utf8))
  }

  static func entries(_ numbers: Range<Int>) throws -> [SpoolEntry] { try numbers.map { try entry($0) } }

  func open() throws -> Spool { try Spool(folder: folder) }

  /// Of everything in the spool's folder but the lock.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))) }

  func write(_ bytes: some Collection<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  func status(_ name: String = ".") throws -> stat {
    var status = stat()
    try #require(lstat("\(folder)/\(name)", &status) == 0)
    return status
  }

  /// Writes a batch and has it kept.
  func keep(_ entries: [SpoolEntry], in spool: Spool, by sealer: Sealer? = nil) throws -> SpoolFile {
    let file = try spool.write(entries, by: sealer ?? Self.sealer())
    try spool.forceToDisk(file, holding: entries)
    return file
  }
}

extension Spool {
  /// Delivers everything there is for a database to the caller.
  func deliverAll(
    to databaseID: UniqueID = SpoolTrial.databaseID, now: Timestamp = SpoolTrial.now
  ) throws -> (entries: [SpoolEntry], problems: [SpoolProblem], expired: Int) {
    let sealer = try SpoolTrial.sealer(databaseID: databaseID)
    var delivered: (entries: [SpoolEntry], problems: [SpoolProblem], expired: Int) = ([], [], 0)
    while let file = takeOldest(for: databaseID) {
      let contents = try contents(of: file, by: sealer, now: now)
      delivered.entries += contents.entries
      delivered.problems += contents.problems
      delivered.expired += contents.expired
      try settle(file, contents)
    }
    return delivered
  }
}
