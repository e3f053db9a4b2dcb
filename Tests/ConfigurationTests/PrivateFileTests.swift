import Configuration
import Foundation
import TestSupport
import Testing

@testable import struct Configuration.ConfigurationSource

@Suite struct PrivateFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try TestKeys.write(TestKeys.keyset(), to: folder.path + "/keyset.json")
  }

  private func load(
    database: String, environment: [String: String] = [:], uid: UInt32 = geteuid()
  ) throws -> Configuration {
    let text = """
      { database: "\(database)", keyset: "file:\(folder.path)/keyset.json", namespaces: [{ provider: "password", tenant: "default" }],
        callers: [{ name: "web", uid: 33, methods: ["*"] }] }
      """
    return try ConfigurationSource()
      .parse(Array(text.utf8), named: "kith.json5", in: .invented(environment: environment, uid: uid))
  }

  private func problem(_ body: () throws -> Configuration) -> ConfigurationProblem? {
    #expect(throws: ConfigurationError.self) { try body() }?.problems.first
  }

  @Test(arguments: [0o600, 0o400])
  func `a file that only its owner can read is read`(_ mode: Int) throws {
    let file = try folder.write("dbname=kith\r\n", to: "database", mode: mode)
    #expect(try load(database: "file:\(file)").database == .connection(Secret("dbname=kith")))
  }

  @Test(arguments: [(0o640, "0640"), (0o604, "0604"), (0o660, "0660"), (0o644, "0644"), (0o4610, "04610")])
  func `a file that others can read is refused`(_ mode: Int, _ octal: String) throws {
    let file = try folder.write("dbname=kith", to: "database", mode: mode)
    let problem = problem { try load(database: "file:\(file)") }
    #expect(
      problem?.message == "the file \"\(file)\" can be read by others than its owner (mode \(octal))")
    #expect(problem?.hint == "chmod 0600 \(file)")
    #expect(problem?.path == "database")
    #expect(problem?.line == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a file of somebody else is refused`() throws {
    let file = try folder.write("dbname=kith", to: "database")
    try FileManager.default.setAttributes([.ownerAccountID: 4242], ofItemAtPath: file)
    #expect(
      problem { try load(database: "file:\(file)") }?.message
        == "the file \"\(file)\" belongs to uid 4242, not to uid 0 or root")
    #expect(try load(database: "file:\(file)", uid: 4242).database == .connection(Secret("dbname=kith")))
  }

  @Test func `a folder, a pipe and a device are no files`() throws {
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    for path in [folder.path, folder.path + "/pipe", "/dev/zero"] {
      #expect(problem { try load(database: "file:\(path)") }?.message == "the file \"\(path)\" is not a regular file")
    }
  }

  @Test func `a file too large is refused`() throws {
    let fits = try folder.write("dbname=" + String(repeating: "x", count: 64 * 1024 - 7), to: "fits")
    let large = try folder.write(String(repeating: "x", count: 64 * 1024 + 1), to: "large")
    #expect(throws: Never.self) { try load(database: "file:\(fits)") }
    #expect(
      problem { try load(database: "file:\(large)") }?.message == "the file \"\(large)\" is larger than 65536 bytes")
  }

  @Test func `an empty file is no secret`() throws {
    let file = try folder.write("\n", to: "empty")
    #expect(problem { try load(database: "file:\(file)") }?.message == "must not be empty")
  }

  @Test func `a credential is read from the folder that systemd names`() throws {
    // systemd guards the folder itself, and in some versions leaves the files readable to a group.
    try folder.write("dbname=kith\n", to: "database", mode: 0o440)
    let environment = ["CREDENTIALS_DIRECTORY": folder.path]
    #expect(
      try load(database: "credential:database", environment: environment).database == .connection(Secret("dbname=kith"))
    )
    #expect(
      problem { try load(database: "credential:other", environment: environment) }?.message
        == "the credential \"other\" cannot be opened: No such file or directory")
  }

  @Test(arguments: ["", ".", "..", "a/b", "/etc/shadow", "a b"])
  func `a credential's name leads nowhere else`(_ name: String) {
    let problem = problem {
      try load(database: "credential:\(name)", environment: ["CREDENTIALS_DIRECTORY": folder.path])
    }
    #expect(problem?.message == "\"credential:\(name)\" names no credential")
  }
}
