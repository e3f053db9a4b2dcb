import Glibc
import Terminal
import TestSupport

@testable import kith

/// Runs `kith` inside the test, and levels what differs from one run to the next in what it says.
struct CommandTrial {
  /// What it printed, and how it ended.
  struct Result {
    let output: String
    let error: String
    let exitCode: Int32
    /// The columns that its widest line took.
    let outputWidth: Int
  }

  /// Of the service that is talked to; nil for none.
  let folder: String?

  /// Runs one case against the service.
  func run(_ testCase: CommandCase) async -> Result {
    let console = RecordingConsole(
      outputWidth: testCase.width, isErrorTerminal: testCase.width != nil, input: testCase.input)
    return await run(testCase.words, console, testCase.environment)
  }

  func run(_ words: String..., width: Int? = nil, input: [String]? = nil) async -> Result {
    await run(words, RecordingConsole(outputWidth: width, input: input), [:])
  }

  func run(_ words: [String]) async -> Result { await run(words, RecordingConsole(outputWidth: nil, input: nil), [:]) }

  private func run(
    _ words: [String], _ console: RecordingConsole, _ environment: [String: String]
  ) async -> Result {
    let invocation = KithInvocation(
      words: words.map(filledIn), console: console, environment: environment.mapValues(filledIn))
    let exitCode = await invocation.run().rawValue
    let lines = console.output.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(separator: "\n")
    let output = words.first == "doctor" ? unwrapped(console.output) : console.output
    return Result(
      output: levelled(output), error: levelled(console.error), exitCode: exitCode,
      outputWidth: lines.map { DisplayWidth.of(String($0)) }.max() ?? 0)
  }

  private func filledIn(_ word: String) -> String {
    word.replacing("$FOLDER", with: folder ?? "/nonexistent")
  }

  /// Where a finding is wrapped depends on names of this host.
  private func unwrapped(_ text: String) -> String { text.replacing(/\n {6,8}(?! |→)/, with: " ") }

  /// Folders, durations and sizes of this host.
  private func levelled(_ text: String) -> String {
    var text = folder.map { text.replacing($0, with: "$FOLDER") } ?? text
    text = text.replacing(/[0-9]+ µs/, with: "N µs").replacing(/up [0-9]+ s/, with: "up N s")
    // The daemon may not have seen yet that whoever asked before is gone.
    text = text.replacing(/connections  [0-9]+/, with: "connections  N")
    text = text.replacing(/connections open: [0-9]+/, with: "connections open: N")
    text = text.replacing(/"connections":[0-9]+/, with: "\"connections\":N")
    text = text.replacing(/"connections": [0-9]+/, with: "\"connections\": N")
    text = text.replacing(/since [-0-9]+ [:0-9]+, [0-9]+ bytes/, with: "since TIME, N bytes")
    text = text.replacing(/PostgreSQL [0-9.]+/, with: "PostgreSQL N")
    text = text.replacing(/[0-9]+ MiB and [0-9]+ %/, with: "N MiB and N %")
    text = text.replacing(/files allowed: [0-9]+/, with: "files allowed: N")
    text = text.replacing(/\([^ ():]+:[^ ():]+, mode/, with: "(USER:GROUP, mode")
    text = text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/) { match in
      // Those of the seeds are fixed.
      match.output.hasPrefix("2024-") || match.output.hasPrefix("2026-11-28") ? String(match.output) : "TIME"
    }
    text = text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/) { match in
      match.output.hasPrefix("2026-11-28") ? String(match.output) : "YYYY-MM-DD hh:mm:ss"
    }
    // What a case before has linked.
    text = text.replacing(/linked [-0-9]{10} [0-9]{2}:[0-9]{2} by link/, with: "linked YYYY-MM-DD hh:mm by link")
    text = text.replacing(/(schema_version":|schema:? +version |"found":"version )[0-9]+/) { "\($0.output.1)N" }
    text = text.replacing(/"(round_trip_us|uptime_s|open_files_max|uid)": ?[0-9]+/) { "\"\($0.output.1)\":N" }
    text = text.replacing(/01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/) { match in
      // So do those of the seeds.
      ["0192f3a", "0193aaa"].contains { match.output.hasPrefix($0) } ? String(match.output) : "NEW-ID"
    }
    text = text.replacing(/"plan_token":"[^"]+"/, with: "\"plan_token\":\"TOKEN\"")
    text = text.replacing(/of request [-0-9a-z]+/, with: "of request ID")
    text = text.replacing(/"request_id":"[^"]+"/, with: "\"request_id\":\"ID\"")
    text = text.replacing(/\bk([0-9]+)-[0-9a-f]{6}\b/) { "k\($0.output.1)-XXXXXX" }
    return text.replacing(/"server_version":"[^"]+"/, with: "\"server_version\":\"N\"")
      .replacing("uid \(geteuid()),", with: "uid N,")
  }
}
