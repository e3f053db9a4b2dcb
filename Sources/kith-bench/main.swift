import Glibc

Interruption.listen()
let exitCode: Int32
do throws(BenchFailure) {
  let options = try BenchOptions(Array(CommandLine.arguments.dropFirst()))
  if options.wantsHelp {
    print(BenchOptions.usage)
    exitCode = 0
  } else {
    let report = try Benchmark.run(options)
    print(report.text)
    exitCode = options.checks && !report.missed.isEmpty ? 1 : 0
  }
} catch {
  Progress.tell("kith-bench: error: \(error)")
  exitCode = 1
}
exit(exitCode)
