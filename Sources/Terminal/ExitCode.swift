/// How a command ended, for the shell that called it.
public enum ExitCode: Int32, Hashable, Sendable {
  case done = 0
  /// Refused or failed.
  case failed = 1
  case usage = 2
  case notFound = 3
  case daemonUnreachable = 4
  case tryAgain = 5
}
