import Foundation
import Glibc
import TestSupport
import Testing

/// The built `kith` with the built `kithd`, as processes of their own.
@Suite(.timeLimit(.minutes(5))) struct BuiltProgramTests {
  private struct Ended {
    let output: String
    let error: String
    let exitCode: Int32
  }

  private func kith(_ arguments: String..., environment: [String: String] = [:]) throws -> Ended {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try BuiltProgram.path("kith"))
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    try process.run()
    // What it says is far less than a pipe holds, so one may be read after the other.
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try error.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Ended(
      output: String(decoding: said, as: UTF8.self), error: String(decoding: complained, as: UTF8.self),
      exitCode: process.terminationStatus)
  }

  @Test(arguments: [["--version"], ["--help"], ["completion", "bash"]])
  func `output that cannot be written is a failure that is told`(_ words: [String]) throws {
    for redirection in [">/dev/full", ">&-"] {
      let ended = try kith(words, redirected: redirection)
      #expect(ended.exitCode == 1, "\(words) \(redirection)")
      #expect(ended.error.hasPrefix("kith: error: the output could not be written: "), "\(ended.error)")
    }
    // Whoever had enough of it needs not be told.
    let piped = try kith(words, redirected: "| true")
    #expect(piped.error.isEmpty, "\(piped.error)")
    #expect(try kith(words, redirected: ">/dev/null").exitCode == 0)
    #expect(try kith(["status", "--socket", "/nonexistent/admin.sock"], redirected: ">/dev/full 2>&-").exitCode == 4)
  }

  /// However it ends, libraries take down nothing under a thread that still runs.
  @Test(arguments: [
    ("kith", ["--version"], 0), ("kith", ["nonsense"], 2),
    ("kith", ["status", "--socket", "/nonexistent/admin.sock"], 4),
    ("kith", ["migrate", "status", "--database", "host=/nonexistent"], 5), ("kithd", ["--version"], 0),
    ("kithd", ["--nonsense"], 2), ("kithd", ["--config", "/nonexistent/kith.json5"], 1),
  ])
  func `the end of a program is at once`(_ program: String, _ words: [String], _ exitCode: Int32) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The dynamic linker writes down what it has each library do.
    let variables = ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": folder.appending(path: "linker").path]
    #expect(try shell("\"$0\" \"$@\"", program, words, environment: variables).exitCode == exitCode)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let ended = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
      .filter { $0.contains("calling init: ") && $0.contains("libuv") }
    #expect(ended.count == 1)
    #expect(ended.allSatisfy { !$0.contains("calling fini: ") })
  }

  @Test(arguments: [
    ("kith", ["user", "show"], 3), ("kith", ["user", "disable", "0192f3a0", "--yes", "--reason"], 6),
    ("kith", ["status", "--socket"], 3), ("kithd", ["--config"], 2),
  ])
  func `a word that is not UTF-8 is not taken for another`(_ program: String, _ words: [String], _ place: Int) throws {
    let ended = try shell("\"$0\" \"$@\" \"$(printf 'apple:\\377')\"", program, words)
    #expect(ended.exitCode == 2)
    #expect(ended.error == "\(program): error: word \(place) of the command line is not UTF-8\n")
  }

  private func kith(_ words: [String], redirected: String) throws -> Ended {
    try shell("\"$0\" \"$@\" \(redirected)", "kith", words)
  }

  /// Runs a program by a shell.
  private func shell(
    _ command: String, _ program: String, _ words: [String], environment: [String: String]? = nil
  ) throws -> Ended {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command, try BuiltProgram.path(program)] + words
    if let environment { process.environment = environment }
    process.standardInput = FileHandle.nullDevice
    let error = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = error
    try process.run()
    let complained = try error.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Ended(
      output: "", error: String(decoding: complained, as: UTF8.self), exitCode: process.terminationStatus)
  }

  private func withDaemon(_ body: (DaemonFolder, DaemonProcess) async throws -> Void) async throws {
    try await DaemonFolder.with { folder, _ in
      let daemon = try await DaemonProcess.start(folder.arguments)
      do {
        try await daemon.ready()
        try await body(folder, daemon)
        try await daemon.stop()
      } catch {
        try await daemon.endAtOnce()
        throw error
      }
    }
  }

  @Test func `a person signs in, is drawn, disabled and let in again`() async throws {
    try await withDaemon { folder, _ in
      let peer = try TestPeer(path: folder.app)
      defer { peer.close() }
      let answer = try await peer.signIn("apple", "000001.mira", "mira@example.org", verified: true)
      let id = try #require(answer.result?["user"]?["id"]?.string)

      let socket = ["KITH_SOCKET": folder.admin]
      let shown = try kith("user", "show", "mira@example.org", environment: socket)
      #expect(shown.exitCode == 0)
      #expect(shown.output.hasPrefix("user     \(id)\n"))
      #expect(shown.output.contains("apple:TEAM000001  000001.mira"))

      let asked = try kith("user", "disable", id, "--reason", "a test", environment: socket)
      #expect(asked.exitCode == 1)
      #expect(asked.error.contains("add --yes"))
      #expect(try kith("user", "disable", id, "--reason", "a test", "--yes", environment: socket).exitCode == 0)
      #expect(try await peer.signIn("apple", "000001.mira").reason == "user_disabled")
      #expect(try kith("user", "enable", id, "--reason", "a test", "--yes", environment: socket).exitCode == 0)
      #expect(try await peer.signIn("apple", "000001.mira").result?["outcome"]?.string == "signed_in")
    }
  }

  @Test func `exit codes tell what happened`() async throws {
    try await withDaemon { folder, daemon in
      let (config, socket) = ("\(folder.path)/kith.json5", folder.admin)
      #expect(try kith("status", "--config", config).exitCode == 0)
      let doctor = try kith("doctor", "--config", config)
      #expect(doctor.exitCode == 0)
      #expect(!doctor.output.contains("FAIL"))
      #expect(try kith("user", "show", "nobody@example.org", "--config", config).exitCode == 3)
      #expect(try kith("user", "shw").exitCode == 2)
      try await daemon.stop()
      #expect(try kith("status", "--socket", socket).exitCode == 4)
      #expect(try kith("doctor", "--config", config).exitCode == 1)
    }
  }

  @Test func `kithd says once what to do about a configuration`() async throws {
    try await DaemonFolder.with { folder, _ in
      let file = "\(folder.path)/kith.json5"
      let text = try String(decoding: Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      try Data(text.replacing("state_dir", with: "state_dirr").utf8).write(to: URL(filePath: file))
      let daemon = try await DaemonProcess.start(["--check-config", "--config", file])
      #expect(try await daemon.exit() == .exited(1))
      let said = try await daemon.said().map(\.text).joined(separator: "\n")
      #expect(said.ranges(of: "did you mean").count == 1)
    }
  }

  @Test func `the programs have one version`() async throws {
    let version = try kith("--version").output
    let daemon = try await DaemonProcess.start(["--version"])
    #expect(try await daemon.line(containing: "kithd ").text + "\n" == version.replacing("kith ", with: "kithd "))
    #expect(try await daemon.exit() == .exited(0))
  }
}
