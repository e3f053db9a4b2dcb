import FoundationEssentials
import Terminal

// What is written to a closed output is to fail, not to go wherever a socket of ours would be.
StandardDescriptors.fill(areUsable: false)
let invocation = KithInvocation(
  words: CommandLine.words, console: ProcessConsole(), environment: ProcessInfo.processInfo.environment)
ProcessEnd.now(await invocation.run().rawValue)
