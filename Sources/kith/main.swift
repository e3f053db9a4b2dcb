import FoundationEssentials
import Glibc
import Terminal

let invocation = KithInvocation(
  words: Array(CommandLine.arguments.dropFirst()), console: ProcessConsole(),
  environment: ProcessInfo.processInfo.environment)
exit(await invocation.run().rawValue)
