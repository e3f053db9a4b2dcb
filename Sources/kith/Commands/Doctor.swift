import Terminal

extension Command where Context == CommandContext {
  static let doctor: Command = Command(
    "doctor", "Check what a daemon needs, and say what to do about what is wrong",
    details: "Looks at sockets, database, schema, configuration, keyset, time and disk. Exits 1 when anything failed."
  ) { context throws(CommandFailure) in
    let examination = Examination(context)
    let findings = await examination.run()
    if context.wantsJSON {
      let document = JSONDocument(compact: Finding.json(findings))
      context.console.writeOutput(document.text(forTerminal: context.console.outputWidth != nil) + "\n")
    } else {
      context.console.writeOutput(lines: findings.flatMap { $0.lines(palette: context.palette) })
    }
    let failed = findings.filter { $0.verdict == .failed }.count
    guard failed == 0 else {
      throw CommandFailure(.failed, "\(failed) of \(findings.count) checks failed")
    }
  }
}
