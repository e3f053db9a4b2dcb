import API
import Configuration
import EventLoop
import Terminal

/// From the words of the command line to an exit code.
///
/// `@unchecked Sendable`: `exitCode` is written on the loop's thread before the loop stops, and read after.
final class Launch: @unchecked Sendable {
  private let words: [String]
  private let loop: EventLoop
  private let console = ProcessConsole()
  private(set) var exitCode = ExitCode.done

  init(words: [String], on loop: EventLoop) {
    self.words = words
    self.loop = loop
  }

  func run() async {
    let program = Program<LaunchContext>.kithd
    do throws(CommandFailure) {
      switch try program.invocation(of: words) {
      case .help(let path): console.writeOutput(lines: program.helpLines(of: path, palette: palette(isError: false)))
      case .version: console.writeOutput(lines: ["kithd \(KithVersion.current)"])
      case .run(let body, let arguments): try await body(LaunchContext(arguments: arguments, loop: loop))
      }
    } catch {
      console.writeError(lines: error.lines(program: program.name, palette: palette(isError: true)))
      exitCode = error.exitCode
    }
  }

  private func palette(isError: Bool) -> Palette {
    Palette(
      onTerminal: isError ? console.isErrorTerminal : console.outputWidth != nil,
      environment: Surroundings.ofThisProcess().environment, isRefused: false)
  }
}
