import TestSupport
import Testing

@testable import Terminal

@Suite struct ProgressBarTests {
  private func bar(total: Int, on console: any Console = RecordingConsole()) -> ProgressBar {
    ProgressBar("Working", total: total, on: console)
  }

  @Test func `a line fits and keeps its length`() {
    for width in [20, 40, 60, 79, 80, 200] {
      let lines = [0, 1, 999, 12_345].map { bar(total: 12_345).line(done: $0, width: width) }
      #expect(Set(lines.map { DisplayWidth.of($0) }).count == 1)
      #expect(lines.allSatisfy { DisplayWidth.of($0) < width })
    }
    #expect(
      bar(total: 10_000).line(done: 2500, width: 80)
        == "Working  [##########------------------------------]   25 %   2500 of 10000")
    #expect(bar(total: 100).line(done: 50, width: 40) == "Working  [####-----]   50 %   50 of 100")
    #expect(bar(total: 100).line(done: 50, width: 20) == "Working   50 %   5…")
  }

  @Test func `what was not foreseen is no trouble`() {
    #expect(bar(total: 0).line(done: 0, width: 80).hasSuffix("  0 %  0 of 1"))
    #expect(bar(total: 10).line(done: 12, width: 80).hasSuffix("100 %  12 of 12"))
  }

  @Test func `it is drawn on a terminal only, and taken away`() {
    let piped = RecordingConsole()
    bar(total: 2, on: piped).show(done: 1)
    bar(total: 2, on: piped).clear()
    #expect(piped.error.isEmpty)
    let terminal = RecordingConsole(outputWidth: 60, isErrorTerminal: true)
    bar(total: 2, on: terminal).show(done: 1)
    bar(total: 2, on: terminal).clear()
    #expect(terminal.error.hasPrefix("\rWorking  ["))
    #expect(terminal.error.hasSuffix(" 50 %  1 of 2\r\u{1B}[K"))
    #expect(terminal.output.isEmpty)
  }
}
