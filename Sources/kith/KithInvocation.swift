import API
import Terminal

/// One call of `kith`: from the words of the command line to an exit code.
struct KithInvocation {
  let words: [String]
  let console: any Console
  let environment: [String: String]

  func run() async -> ExitCode {
    do {
      switch try Program<CommandContext>.kith.invocation(of: words) {
      case .help(let path):
        console.writeOutput(lines: Program<CommandContext>.kith.helpLines(of: path, palette: outputPalette))
      case .version: console.writeOutput(lines: ["kith \(KithVersion.current)"])
      case .run(let body, let arguments): try await body(context(arguments))
      }
      guard let problem = console.outputProblem else { return .done }
      tell(
        CommandFailure(
          .failed, "the output could not be written: \(problem)",
          hint: "what was asked for is done; only what it told is missing"))
      return .failed
    } catch {
      tell(error)
      return error.exitCode
    }
  }

  private func tell(_ failure: CommandFailure) {
    console.writeError(lines: failure.lines(program: Program<CommandContext>.kith.name, palette: errorPalette))
  }

  private func context(_ arguments: Arguments) -> CommandContext {
    CommandContext(
      arguments: arguments, console: console, environment: environment, palette: outputPalette)
  }

  /// Taken from the words themselves: an error in them is coloured or not before they have been understood.
  private var isColourRefused: Bool { words.contains("--\(OptionDeclaration.noColour.name)") }

  private var outputPalette: Palette {
    Palette(onTerminal: console.outputWidth != nil, environment: environment, isRefused: isColourRefused)
  }

  private var errorPalette: Palette {
    Palette(onTerminal: console.isErrorTerminal, environment: environment, isRefused: isColourRefused)
  }
}
