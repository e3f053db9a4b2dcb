import Crypto
import Foundation
import Testing
import Vault

@Suite final class KeysetFileTests {
  private let folder = NSTemporaryDirectory() + "kith-keyset-" + UUID().uuidString
  private var path: String { folder + "/keyset.json" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func status(of path: String) throws -> stat {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status
  }

  private func make() throws {
    let keyset = try Trial.keyset()
    try KeysetFile.update(path) { _ in keyset }
  }

  @Test func `a new file is private and comes back as it was written`() throws {
    let keyset = try Trial.keyset()
    var former: Keyset? = keyset
    let written = try KeysetFile.update(path) { (found) throws(KeysetError) in
      former = found
      return keyset
    }
    #expect(former == nil)
    #expect(written == keyset)
    #expect(try KeysetFile.read(path) == keyset)
    #expect(try status(of: path).st_mode == S_IFREG | 0o600)
    #expect(try names() == ["keyset.json"])
  }

  @Test func `a file is replaced by what the change makes of it, whatever it was left with`() throws {
    try make()
    // A change was cut short, or somebody wants root to write elsewhere.
    let target = folder + "/elsewhere"
    try Data("untouched".utf8).write(to: URL(filePath: target))
    try #require(symlink(target, path + ".new") == 0)
    let id = try Trial.id("k2")
    try KeysetFile.update(path) { (keyset) throws(KeysetError) in
      guard let keyset else { throw KeysetError(.noKeys) }
      return try keyset.adding(id, Trial.key(1))
    }
    #expect(try KeysetFile.read(path).keys.count == 2)
    #expect(try names() == ["elsewhere", "keyset.json"])
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("untouched".utf8))
  }

  @Test func `a refused change leaves the file as it is`() throws {
    try make()
    let before = try status(of: path)
    let error = KeysetError(.primaryCannotRetire, key: try Trial.id("k1"))
    #expect(throws: KeysetFileError.keyset(path: path, error)) {
      try KeysetFile.update(path) { (_) throws(KeysetError) in throw error }
    }
    #expect(try status(of: path).st_ino == before.st_ino)
    #expect(try names() == ["keyset.json"])
  }

  @Test func `changes at once lose nothing, and who reads meanwhile reads one or the other`() async throws {
    try make()
    let path = path
    try await withThrowingTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          for part in 0..<4 {
            let id = try Trial.id("k\(number)-\(part)")
            let key = SecretBytes(copying: [UInt8(number), UInt8(part)] + [UInt8](repeating: 7, count: 30))
            while try !Self.tryAdding(id, key, to: path) { await Task.yield() }
            _ = try KeysetFile.read(path)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try KeysetFile.read(path).keys.count == 33)
  }

  /// - Returns: false when another change was under way.
  private static func tryAdding(_ id: KeyID, _ key: SecretBytes, to path: String) throws -> Bool {
    do {
      try KeysetFile.update(path) { (keyset) throws(KeysetError) in
        guard let keyset else { throw KeysetError(.noKeys) }
        return try keyset.adding(id, key)
      }
      return true
    } catch KeysetFileError.busy {
      return false
    }
  }

  @Test(arguments: [0o644, 0o640, 0o660, 0o604, 0o601, 0o710, 0o620])
  func `a file that others could do anything with is refused`(_ mode: Int) throws {
    try make()
    try #require(chmod(path, mode_t(mode)) == 0)
    #expect(throws: KeysetFileError.notPrivate(path: path, mode: mode_t(mode))) { try KeysetFile.read(path) }
    let keyset = try Trial.keyset()
    #expect(throws: KeysetFileError.self) { try KeysetFile.update(path) { _ in keyset } }
  }

  @Test(arguments: [0o400, 0o600, 0o700])
  func `what its owner alone may do with a file is as good as ours`(_ mode: Int) throws {
    try make()
    try #require(chmod(path, mode_t(mode)) == 0)
    #expect(try KeysetFile.read(path).keys.count == 1)
  }

  @Test func `a file of somebody else is refused, and one of a former owner stays theirs`() throws {
    try make()
    let stranger: uid_t = 12_345
    guard geteuid() == 0 else {
      // Only root can give files away.
      #expect(throws: KeysetFileError.wrongOwner(path: path, uid: geteuid(), expected: stranger)) {
        try KeysetFile.read(path, owner: stranger)
      }
      return
    }
    try #require(chown(path, stranger, stranger) == 0)
    #expect(throws: KeysetFileError.wrongOwner(path: path, uid: stranger, expected: 0)) { try KeysetFile.read(path) }
    let id = try Trial.id("k2")
    try KeysetFile.update(path, owner: stranger) { (keyset) throws(KeysetError) in
      guard let keyset else { throw KeysetError(.noKeys) }
      return try keyset.adding(id, Trial.key(1))
    }
    let after = try status(of: path)
    #expect(after.st_uid == stranger && after.st_gid == stranger && after.st_mode == S_IFREG | 0o600)
  }

  @Test func `what is no regular file is refused at once`() throws {
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: KeysetFileError.notRegular(path: path)) { try KeysetFile.read(path) }
    #expect(throws: KeysetFileError.notRegular(path: folder)) { try KeysetFile.read(folder) }
    let keyset = try Trial.keyset()
    let link = folder + "/link"
    try #require(symlink(path, link) == 0)
    #expect(throws: KeysetFileError.notRegular(path: link)) { try KeysetFile.update(link) { _ in keyset } }
  }

  @Test func `what is not there, and a folder that is not there, are told by the system's words`() throws {
    #expect(throws: KeysetFileError.failed(path: path, code: ENOENT)) { try KeysetFile.read(path) }
    let lost = folder + "/lost/keyset.json"
    let keyset = try Trial.keyset()
    let error = #expect(throws: KeysetFileError.self) { try KeysetFile.update(lost) { _ in keyset } }
    #expect(error?.description == "\(folder)/lost: No such file or directory")
  }

  @Test func `a wrong keyset names the file, the line and the key`() throws {
    let text = "{\"version\": 1, \"keys\": [\n{\"id\": \"k1\", \"key\": \"AAAA\", \"state\": \"primary\"}]}"
    try Data(text.utf8).write(to: URL(filePath: path))
    try #require(chmod(path, 0o600) == 0)
    let error = #expect(throws: KeysetFileError.self) { try KeysetFile.read(path) }
    #expect(error?.description == "\(path): line 2: key \"k1\" has not 32 bytes")
    try Data(repeating: 0x20, count: Keyset.textBytesMax + 1).write(to: URL(filePath: path))
    try #require(chmod(path, 0o600) == 0)
    #expect(throws: KeysetFileError.self) { try KeysetFile.read(path) }
  }
}
