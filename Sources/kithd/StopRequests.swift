import Terminal

/// Waits until the daemon is told to stop or finds that it cannot go on.
///
/// `@unchecked Sendable`: it belongs to the main loop and is touched on that loop's thread only.
final class StopRequests: @unchecked Sendable {
  private(set) var wasAsked = false
  private var failure: CommandFailure?
  private var waiter: CheckedContinuation<CommandFailure?, Never>?

  /// - Parameter failure: why the daemon cannot go on; nil when it was told to stop.
  func stop(_ failure: CommandFailure? = nil) {
    guard !wasAsked else { return }
    wasAsked = true
    self.failure = failure
    waiter?.resume(returning: failure)
    waiter = nil
  }

  /// - Returns: why the daemon cannot go on, if that is the reason.
  func next() async -> CommandFailure? {
    guard !wasAsked else { return failure }
    return await withCheckedContinuation { waiter = $0 }
  }
}
