import Foundation

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
  print(Options.usage)
  exit(2)
}
do {
  let daemon = try DaemonUnderTest(binary: options.binaries + "/kithd")
  defer { daemon.remove() }
  try daemon.start()
  var benchmark = try Benchmark(options, daemon: daemon)
  let report = try benchmark.measure()
  print()
  report.print()
  if options.checks, !report.isMet { throw Program.Failure(description: "a figure is below what is promised") }
} catch {
  print("kith-bench: \(error)")
  exit(1)
}
