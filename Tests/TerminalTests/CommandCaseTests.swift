import Terminal
import TestSupport
import Testing

@Suite struct CommandCaseTests {
  private static let cases = CommandCase.all(in: CommandCase.folder())

  @Test(arguments: cases)
  func `a command line prints what its case says`(_ testCase: CommandCase) async {
    let console = RecordingConsole(outputWidth: testCase.width, input: testCase.input)
    let exitCode = await Program<SampleContext>.run(testCase.words, on: console)
    #expect(console.output == testCase.output)
    #expect(ended(console.error) == testCase.error)
    #expect(exitCode.rawValue == testCase.exitCode)
  }

  @Test func `the cases are found`() {
    #expect(Self.cases.count >= 30)
  }

  /// A question leaves its line open; in a case every line is ended.
  private func ended(_ text: String) -> String {
    text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }

  @Test(arguments: cases)
  func `no line is wider than its terminal`(_ testCase: CommandCase) {
    guard let width = testCase.width, width >= 80 else { return }
    for line in testCase.output.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width) }
  }
}
