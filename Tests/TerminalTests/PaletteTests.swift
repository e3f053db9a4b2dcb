import Terminal
import Testing

@Suite struct PaletteTests {
  @Test(
    arguments: [
      (true, ["TERM": "xterm"], false, true), (true, ["TERM": "xterm"], true, false),
      (false, ["TERM": "xterm"], false, false),
      (true, ["TERM": "xterm", "NO_COLOR": "1"], false, false), (true, ["TERM": "xterm", "NO_COLOR": ""], false, true),
      (true, ["TERM": "dumb"], false, false), (true, [:], false, false),
    ] as [(Bool, [String: String], Bool, Bool)])
  func `colour is for a terminal whose person did not refuse it`(
    _ isTerminal: Bool, _ environment: [String: String], _ isRefused: Bool, _ isColoured: Bool
  ) {
    let palette = Palette(onTerminal: isTerminal, environment: environment, isRefused: isRefused)
    #expect(palette.isColoured == isColoured)
    #expect(palette.bad("x") == (isColoured ? "\u{1B}[1;31mx\u{1B}[0m" : "x"))
  }

  @Test func `what is coloured is still made visible`() {
    let failure = CommandFailure(.failed, "no \u{1B}[2J", hint: "try\n")
    #expect("\(failure)" == failure.message)
    #expect(
      failure.lines(program: "kith", palette: Palette(isColoured: true)) == [
        "kith: \u{1B}[1;31merror:\u{1B}[0m no \\u{1B}[2J", "kith: \u{1B}[1mhint:\u{1B}[0m try\\n",
      ])
  }
}
