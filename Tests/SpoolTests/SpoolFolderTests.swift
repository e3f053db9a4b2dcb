import Accounts
import CLinux
import Foundation
import TestSupport
import Testing
import Vault

@testable import Spool

/// Who may see and touch the folder, and what it does when the disk does not.
@Suite struct SpoolFolderTests {
  private static let nobody: uid_t = 65_534
  /// CAP_SYS_ADMIN, by its number in linux/capability.h.
  private static let administrationCapability: UInt64 = 1 << 21

  private static let canMount: Bool = {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let capabilities = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    return capabilities & administrationCapability != 0
  }()

  let trial: SpoolTrial

  init() throws { trial = try SpoolTrial() }

  @Test func `folder and files are their owner's alone, whatever the mask`() async throws {
    await #expect(processExitsWith: .success) { [folder = trial.folder as String] in
      umask(0)
      let spool = try Spool(folder: folder)
      let entries = try SpoolTrial.entries(0..<1)
      try spool.forceToDisk(spool.write(entries, by: SpoolTrial.sealer()), holding: entries)
      _ = try spool.learn(databaseID: SpoolTrial.databaseID)
    }
    #expect(try trial.status().st_mode == S_IFDIR | 0o700)
    let names = try trial.names()
    #expect(names.count == 2)
    for name in names + ["lock"] { #expect(try trial.status(name).st_mode == S_IFREG | 0o600, "\(name)") }
  }

  @Test(arguments: [0o720, 0o702, 0o777, 0o1777])
  func `a folder that others may write to is refused`(_ mode: Int) throws {
    _ = try trial.open()
    try #require(chmod(trial.folder, mode_t(mode)) == 0)
    #expect(throws: SpoolError.writableByOthers(path: trial.folder, mode: mode_t(mode))) { try trial.open() }
  }

  @Test func `a link, a file and a folder that is nowhere are refused`() throws {
    let elsewhere = trial.parent + "/elsewhere"
    try #require(mkdir(elsewhere, 0o700) == 0 && symlink(elsewhere, trial.folder) == 0)
    #expect(throws: SpoolError.notAFolder(path: trial.folder)) { try trial.open() }
    try #require(unlink(trial.folder) == 0)
    try Data().write(to: URL(filePath: trial.folder))
    #expect(throws: SpoolError.notAFolder(path: trial.folder)) { try trial.open() }
    let lost = trial.parent + "/lost/spool"
    #expect(throws: SpoolError.failed(path: lost, code: ENOENT)) { try Spool(folder: lost) }
  }

  @Test func `a spool is one process's at a time`() async throws {
    do {
      let spool = try trial.open()
      let entries = try SpoolTrial.entries(0..<1)
      _ = try trial.keep(entries, in: spool)
      #expect(throws: SpoolError.inUse(folder: trial.folder)) { try trial.open() }
      await #expect(processExitsWith: .success) { [folder = trial.folder as String] in
        #expect(throws: SpoolError.inUse(folder: folder)) { try Spool(folder: folder) }
      }
      #expect(try spool.deliverAll().entries == entries)
    }
    _ = try trial.open()
  }

  @Test func `what is no file of ours is told, left as it is, and harms nothing`() throws {
    let entries = try SpoolTrial.entries(0..<1)
    _ = try trial.keep(entries, in: trial.open())
    let target = trial.parent + "/target"
    try Data("kithspl".utf8).write(to: URL(filePath: target))
    try #require(symlink(target, trial.folder + "/0000000000000001.entries") == 0)
    try #require(mkfifo(trial.folder + "/0000000000000002.entries", 0o600) == 0)
    try #require(mkdir(trial.folder + "/0000000000000003.entries", 0o700) == 0)
    // Not even looked at.
    for name in ["x.entries", "000000000000000A.entries", "+000000000000001.entries", "1.entries", ".entries"] {
      try trial.write([1], to: name)
    }
    let before = try trial.names()
    let spool = try trial.open()
    #expect(
      spool.problemsAtStart.sorted { $0.file < $1.file }
        == (1...3).map { SpoolProblem(file: "000000000000000\($0).entries", kind: .notOurs) })
    #expect(try spool.deliverAll().entries == entries)
    #expect(try trial.names().count == before.count - 1)
  }

  @Test func `a file that becomes something else is left, and one that goes is forgotten`() throws {
    let spool = try trial.open()
    let first = try trial.keep(SpoolTrial.entries(0..<1), in: spool)
    let second = try trial.keep(SpoolTrial.entries(1..<2), in: spool)
    let third = try trial.keep(SpoolTrial.entries(2..<3), in: spool)
    try #require(unlink("\(trial.folder)/\(first.name)") == 0 && unlink("\(trial.folder)/\(second.name)") == 0)
    try #require(mkdir("\(trial.folder)/\(second.name)", 0o700) == 0)
    let delivered = try spool.deliverAll()
    #expect(try delivered.entries == [SpoolTrial.entry(2)])
    #expect(
      delivered.problems == [
        SpoolProblem(file: first.name, kind: .gone), SpoolProblem(file: second.name, kind: .notOurs),
      ])
    #expect(try trial.names() == [second.name])
    #expect(spool.summary.files == 1)
    _ = third
  }

  @Test func `a process without descriptors reads the file another time`() async throws {
    await #expect(processExitsWith: .success) { [folder = trial.folder as String] in
      let spool = try Spool(folder: folder)
      let entries = try SpoolTrial.entries(0..<1)
      let sealer = try SpoolTrial.sealer()
      try spool.forceToDisk(spool.write(entries, by: sealer), holding: entries)
      guard let file = spool.takeOldest(for: SpoolTrial.databaseID) else { exit(9) }
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(8) }
      var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      let path = "\(folder)/\(file.name)"
      let reading = Result { () throws(SpoolError) in
        try spool.contents(of: file, by: sealer, now: SpoolTrial.now)
      }
      let writing = Result { () throws(SpoolError) in try spool.write(entries, by: sealer) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      #expect(throws: SpoolError.failed(path: path, code: EMFILE)) { try reading.get() }
      #expect(throws: SpoolError.self) { try writing.get() }
      spool.giveBack(file)
      let delivered = try spool.deliverAll()
      #expect(delivered.entries == entries)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func `a file of somebody else is told and left`() throws {
    let file = try trial.keep(SpoolTrial.entries(0..<1), in: trial.open())
    try #require(chown("\(trial.folder)/\(file.name)", Self.nobody, Self.nobody) == 0)
    let spool = try trial.open()
    #expect(spool.problemsAtStart == [SpoolProblem(file: file.name, kind: .notOurs)])
    #expect(spool.takeOldest(for: SpoolTrial.databaseID) == nil)
    #expect(try trial.names() == [file.name])
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become somebody else."))
  func `another user's folder is refused, whether one may look into it or not`() async throws {
    _ = try trial.open()
    for mode: mode_t in [0o700, 0o755] {
      try #require(chmod(trial.folder, mode) == 0)
      await #expect(processExitsWith: .success) { [folder = trial.folder as String, mode = UInt32(mode) as UInt32] in
        guard setgroups(0, nil) == 0, setgid(Self.nobody) == 0, setuid(Self.nobody) == 0 else { exit(9) }
        let expected: SpoolError =
          mode == 0o700
          ? .failed(path: folder, code: EACCES) : .wrongOwner(path: folder, uid: 0, expected: Self.nobody)
        #expect(throws: expected) { try Spool(folder: folder) }
      }
    }
  }

  @Test(.enabled(if: canMount, "To mount a small disk takes CAP_SYS_ADMIN."), arguments: ["size=64k", "nr_inodes=12"])
  func `a full disk is told, leaves nothing partial, and is forgotten when there is space`(_ size: String) async throws
  {
    _ = try trial.open()
    await #expect(processExitsWith: .success) { [folder = trial.folder as String, size = size as String] in
      // A mount of this thread alone, which goes with the process.
      guard unshare(CLONE_NEWNS) == 0, mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0,
        mount("kith-spool", folder, "tmpfs", 0, "mode=0700,\(size)") == 0
      else { exit(9) }
      let spool = try Spool(folder: folder)
      let entries = try SpoolTrial.entries(0..<4)
      let sealer = try SpoolTrial.sealer()
      var files: [SpoolFile] = []
      let error = #expect(throws: SpoolError.self) {
        while true { files.append(try spool.write(entries, by: sealer)) }
      }
      guard case .diskFull(let path) = error else { exit(8) }
      #expect(path.hasPrefix(folder))
      #expect(files.count > 5)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }
      #expect(names.sorted() == files.map(\.name))
      #expect(throws: SpoolError.self) { try spool.learn(databaseID: SpoolTrial.databaseID) }
      for file in files { try spool.forceToDisk(file, holding: entries) }
      #expect(spool.summary.files == files.count)
      try spool.remove(files.removeLast())
      try spool.remove(files.removeLast())
      files.append(try spool.write(entries, by: sealer))
      try spool.forceToDisk(files[files.count - 1], holding: entries)
      let delivered = try spool.deliverAll()
      #expect(delivered.entries.count == 4 * files.count)
      #expect(delivered.problems == [])
    }
  }
}
