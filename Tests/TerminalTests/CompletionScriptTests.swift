import Foundation
import Terminal
import Testing

@Suite struct CompletionScriptTests {
  @Test(arguments: [
    (["sample", ""], "person completion --socket --yes --help --version"), (["sample", "pe"], "person"),
    (["sample", "person", "li"], "list"), (["sample", "--socket", "/x", "person", "s"], "show"),
    (["sample", "person", "list", "--o"], "--order"), (["sample", "person", "show", "1", "--y"], "--yes"),
    (["sample", "completion", ""], "bash zsh fish --socket --yes --help --version"),
    (["sample", "--socket", "/et"], "/etc"),
    (["sample", "person", "disable", "1", "--reason", ""], ""), (["sample", "nothing", ""], ""),
  ])
  func `bash completes what comes next`(_ words: [String], _ completions: String) throws {
    let script = Program<SampleContext>.sample.completionScript(for: .bash)
    let ask = """
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sample; printf '%s' "${COMPREPLY[*]}"
      """
    let output = Pipe()
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments = ["--norc", "-c", script + ask, "bash"] + words
    bash.standardOutput = output
    try bash.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
    #expect(String(decoding: answer, as: UTF8.self) == completions)
  }
}
