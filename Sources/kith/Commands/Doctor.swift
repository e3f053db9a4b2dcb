import Terminal

extension Command where Context == CommandContext {
  static let doctor: Command = Command(
    "doctor", "Check what a daemon needs, and say how to mend what is wrong",
    details: """
      Looks at socket, daemon, database, schema, clocks, configuration, keyset and
      disk, and exits 1 when anything fails. As root it sees more than anybody else.
      """
  ) { context throws(CommandFailure) in
    let findings = await Examination(context).run()
    if context.wantsJSON {
      context.write(json: Finding.json(findings))
    } else {
      let width = context.console.outputWidth ?? Table.widthUncut
      context.console.writeOutput(
        lines: findings.flatMap { $0.lines(widthMax: width, palette: context.palette) })
    }
    let failed = findings.filter { $0.verdict == .failed }.count
    guard failed == 0 else {
      throw CommandFailure(.failed, "\(failed) of \(findings.count) checks failed")
    }
  }
}
