import Synchronization
import Terminal
import TestSupport
import Testing

@testable import kith

@Suite struct KithInvocationTests {
  /// Pipes instead of terminals; keeps what was written.
  private final class PipedConsole: Console {
    let outputWidth: Int? = nil
    let isErrorTerminal = false
    let isInputTerminal = false
    private let written = Mutex((output: "", error: ""))

    var output: String { written.withLock { $0.output } }
    var error: String { written.withLock { $0.error } }

    func writeOutput(_ text: String) { written.withLock { $0.output += text } }
    func writeError(_ text: String) { written.withLock { $0.error += text } }
    func readInputLine() -> String? { nil }
  }

  private func run(_ words: String...) async -> (exitCode: ExitCode, output: String, error: String) {
    let console = PipedConsole()
    let exitCode = await KithInvocation(words: words, console: console, environment: [:]).run()
    return (exitCode, console.output, console.error)
  }

  @Test func `help is an answer, not an error`() async {
    let result = await run("--help")
    #expect(result.exitCode == .done)
    #expect(result.output.contains("Usage: kith COMMAND"))
    #expect(result.error.isEmpty)
  }

  @Test func `the version is told`() async {
    let result = await run("--version")
    #expect(result.exitCode == .done)
    #expect(result.output.hasPrefix("kith "))
  }

  @Test func `a wrong command line is told on the error output`() async {
    let result = await run("compltion", "bash")
    #expect(result.exitCode == .usage)
    #expect(result.output.isEmpty)
    #expect(result.error == "kith: error: unknown command \"compltion\"\nkith: hint: did you mean \"completion\"?\n")
  }

  @Test(arguments: [" ", "\u{202E}"])
  func `every command that takes a reason wants one that says something`(_ blank: String) async {
    let commands = Self.commands(below: Program<CommandContext>.kith.root, []).filter { _, command in
      command.options.contains { $0.name == "reason" }
    }
    #expect(commands.count > 8)
    for (path, command) in commands {
      let others = command.options.filter { $0.isRequired && $0.name != "reason" }.map { "--\($0.name)=x" }
      let words = path + command.positionals.map { _ in "0192f3a0" } + others + ["--reason", blank, "--yes"]
      let console = PipedConsole()
      let environment = ["KITH_SOCKET": "/nonexistent/admin.sock"]
      let exitCode = await KithInvocation(words: words, console: console, environment: environment).run()
      #expect(exitCode == .usage, "\(words)")
      #expect(console.error.hasPrefix("kith: error: --reason has to say something"), "\(words): \(console.error)")
    }
  }

  private static func commands(
    below command: Command<CommandContext>, _ path: [String]
  ) -> [(path: [String], command: Command<CommandContext>)] {
    [(path, command)] + command.verbs.flatMap { commands(below: $0, path + [$0.name]) }
  }

  @Test func `a word that is not UTF-8 is a wrong command line, whatever stands beside it`() async {
    for words in [[nil], ["user", "show", nil], ["--help", nil], ["user", "show", "--socket", nil, "x"]] as [[String?]]
    {
      let console = PipedConsole()
      #expect(await KithInvocation(words: words, console: console, environment: [:]).run() == .usage)
      let place = (words.firstIndex(of: nil) ?? 0) + 1
      #expect(console.error == "kith: error: word \(place) of the command line is not UTF-8\n")
    }
  }

  @Test(
    arguments: [
      (nil, ExitCode.done, ""), (.readerIsGone, .failed, ""),
      (
        .failed("No space left on device"), .failed,
        """
        kith: error: the output could not be written: No space left on device
        kith: hint: what was asked for is done; only what it told is missing

        """
      ),
    ] as [(OutputLoss?, ExitCode, String)])
  func `output that is lost is a failure, told where somebody waits for it`(
    _ loss: OutputLoss?, _ exitCode: ExitCode, _ error: String
  ) async {
    let console = RecordingConsole(outputLoss: loss)
    #expect(await KithInvocation(words: ["--version"], console: console, environment: [:]).run() == exitCode)
    #expect(console.error == error)
  }

  @Test(arguments: Shell.allCases)
  func `every shell has its completion`(_ shell: Shell) async {
    let result = await run("completion", shell.rawValue)
    #expect(result.exitCode == .done)
    #expect(result.output.hasPrefix(shell == .zsh ? "#compdef kith\n" : "# Completion of kith for \(shell.rawValue)."))
    for option in ["socket", "json", "yes", "config", "database", "no-color"] {
      #expect(result.output.contains(option))
    }
  }
}
