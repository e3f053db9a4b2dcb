import Terminal
import Testing

@Suite struct CommandCaseTests {
  @Test(arguments: CommandCase.all)
  func `a command line prints what its case says`(_ testCase: CommandCase) async {
    let console = RecordingConsole(outputWidth: testCase.width, input: testCase.input)
    let exitCode = await Program<SampleContext>.run(testCase.words, on: console)
    #expect(console.output == testCase.output)
    #expect(ended(console.error) == testCase.error)
    #expect(exitCode.rawValue == testCase.exitCode)
  }

  @Test func `the cases are found`() {
    #expect(CommandCase.all.count >= 30)
  }

  /// A question leaves its line open; in a case every line is ended.
  private func ended(_ text: String) -> String {
    text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }

  @Test(arguments: CommandCase.all)
  func `no line is wider than its terminal`(_ testCase: CommandCase) {
    guard let width = testCase.width, width >= 80 else { return }
    for line in testCase.output.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width) }
  }
}
