import API
import Terminal

/// One call of `kith`: from the words of the command line to an exit code.
struct KithInvocation {
  /// Nil for a word that is not UTF-8.
  let words: [String?]
  let console: any Console
  let environment: [String: String]

  func run() async -> ExitCode {
    do throws(CommandFailure) {
      switch try Program<CommandContext>.kith.invocation(of: words) {
      case .help(let path):
        console.writeOutput(lines: Program<CommandContext>.kith.helpLines(of: path, palette: outputPalette))
      case .version: console.writeOutput(lines: ["kith \(KithVersion.current)"])
      case .run(let body, let arguments): try await body(context(arguments))
      }
      switch console.outputLoss {
      case nil: return .done
      case .readerIsGone: return .failed
      case .failed(let problem):
        throw CommandFailure(
          outputFailed: problem, hint: "what was asked for is done; only what it told is missing")
      }
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

extension CommandFailure {
  /// Output that could not be written, though somebody waits for it.
  init(outputFailed problem: String, hint: String?) {
    self.init(.failed, "the output could not be written: \(problem)", hint: hint)
  }
}
