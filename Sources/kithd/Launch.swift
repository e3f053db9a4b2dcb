import API
import Configuration
import EventLoop
import Glibc
import Service
import Terminal

/// From the words of the command line to an exit code.
///
/// `@unchecked Sendable`: `exitCode` is written on the loop's thread before the loop stops, and read after.
final class Launch: @unchecked Sendable {
  /// How long the end waits for somebody to read the last lines.
  private static let lastLinesMilliseconds = 1000

  private let words: [String?]
  private let loop: EventLoop
  private let console = ProcessConsole()
  private let errors: LineOutput
  private(set) var exitCode = ExitCode.done

  /// - Parameter words: nil for a word that is not UTF-8.
  init(words: [String?], on loop: EventLoop) throws(EventLoopError) {
    errors = try LineOutput(descriptor: STDERR_FILENO)
    self.words = words
    self.loop = loop
  }

  func run() async {
    let program = Program<LaunchContext>.kithd
    do throws(CommandFailure) {
      switch try program.invocation(of: words) {
      case .help(let path): console.writeOutput(lines: program.helpLines(of: path, palette: palette(isError: false)))
      case .version: console.writeOutput(lines: ["kithd \(KithVersion.current)"])
      case .run(let body, let arguments):
        try await body(LaunchContext(arguments: arguments, loop: loop, errors: errors))
      }
      switch console.outputLoss {
      case nil: break
      case .readerIsGone: exitCode = .failed
      case .failed(let problem): throw CommandFailure(.failed, "the output could not be written: \(problem)")
      }
    } catch {
      for line in error.lines(program: program.name, palette: palette(isError: true)) {
        errors.write(line + "\n") { dropped in "\(program.name): warning: dropped \(dropped) lines\n" }
      }
      exitCode = error.exitCode
    }
    errors.finish(withinMilliseconds: Self.lastLinesMilliseconds)
  }

  private func palette(isError: Bool) -> Palette {
    Palette(
      onTerminal: isError ? console.isErrorTerminal : console.outputWidth != nil,
      environment: Surroundings.ofThisProcess().environment, isRefused: false)
  }
}
