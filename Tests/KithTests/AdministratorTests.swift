import Foundation
import Glibc
import Terminal
import TestSupport
import Testing

@testable import kith

/// The administrators of the example configuration.
@Suite(.timeLimit(.minutes(4))) struct AdministratorTests {
  /// Every command that asks the daemon, in an order in which each finds what it needs.
  private static let commands: [(command: String, words: [String])] = [
    ("status", []), ("user show", ["mira@example.org"]), ("user search", ["mira"]),
    ("user export", ["mira@example.org"]), ("user disable", ["mira@example.org", "--reason", "r", "--yes"]),
    ("user enable", ["mira@example.org", "--reason", "r", "--yes"]), ("identity list", ["mira@example.org"]),
    ("identity link", ["mira@example.org", "naver:mira", "--yes"]),
    ("identity unlink", ["mira@example.org", "naver:mira", "--yes"]), ("merge list", []),
    ("merge show", ["0192f3a4-0000-7000-8000-000000000001"]),
    ("merge undo", ["0192f3a4-0000-7000-8000-000000000001", "--reason", "r", "--yes"]),
    ("merge plan", ["mira@example.org", "apple:000768.ron"]),
    ("merge run", ["mira@example.org", "apple:000768.ron", "--yes"]), ("duplicates", []), ("registration list", []),
    ("registration show", ["0192f3a3-0000-7000-8000-000000000001"]),
    ("registration discard", ["0192f3a3-0000-7000-8000-000000000001", "--reason", "r", "--yes"]),
    ("credential list", []), ("credential history", ["web", "mira@example.org", "imap.example.org"]),
    ("credential delete", ["web", "mira@example.org", "imap.example.org", "--reason", "r", "--yes"]),
    ("event tail", ["--from", "oldest", "--count", "1"]), ("audit list", []), ("audit verify", []), ("key status", []),
    ("key rewrap", []), ("user erase", ["mira@example.org", "--reason", "r", "--yes"]),
  ]

  /// Those that work on files, or go to PostgreSQL themselves; and `doctor`, which finds fault with any test's surroundings.
  private static let others = [
    "doctor", "key add", "key promote", "key retire", "key give-up", "migrate status", "migrate up", "completion",
  ]

  /// The entry of administrators, with this very process in the place of their group.
  private func administrators() throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "systemd/kith.json5.example")
    let text = try String(contentsOf: file, encoding: .utf8)
    let entry = try #require(text.firstMatch(of: /\{\s*name: "ops",[^}]*\}/)).output
    let group = #"group: "kith-admin""#
    #expect(entry.contains(group))
    return String(entry).replacing(group, with: "uid: \(geteuid())")
  }

  private func names(of command: Command<CommandContext>) -> [String] {
    command.verbs.flatMap { verb in
      verb.verbs.isEmpty ? [verb.name] : names(of: verb).map { "\(verb.name) \($0)" }
    }
  }

  @Test func `may use every command`() async throws {
    let tried = Self.commands.map(\.command) + Self.others
    #expect(tried.sorted() == names(of: Program<CommandContext>.kith.root).sorted())
    try await TestService.with(TestService.Settings(callers: [try administrators()])) { services, database in
      let seed = try await database.sealedSeed(by: TestKeys.keyset())
      try await database.script(
        SeededPeople.sql + SeededPeople.merges + SeededPeople.registrations(sealedBy: seed), as: .superuser)
      for (command, words) in Self.commands {
        let console = RecordingConsole(outputWidth: nil)
        let whole = command.split(separator: " ").map(String.init) + words
        let socket = ["--socket", services[0].folder + "/admin.sock"]
        let exitCode = await KithInvocation(words: whole + socket, console: console, environment: [:]).run()
        #expect(exitCode == .done, "\(command): \(console.error)")
      }
    }
  }
}
