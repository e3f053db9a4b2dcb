import EventLoop
import Glibc
import Terminal

// The main thread is a loop itself: signals, the embedded PostgreSQL and the watchdog are served here, connections by the
// workers' loops.
ProcessLimits.keepMemoryPrivate()
StandardDescriptors.fill(areUsable: true)
let exitCode: Int32
do {
  let loop = try EventLoop()
  let launch = try Launch(words: CommandLine.words, on: loop)
  Task(executorPreference: loop) {
    await launch.run()
    loop.stop()
  }
  loop.run()
  exitCode = launch.exitCode.rawValue
} catch {
  print("kithd: error: \(error)")
  exitCode = 1
}
ProcessEnd.now(exitCode)
