import Service

/// Waits until the daemon is told to stop or finds that it cannot go on.
///
/// `@unchecked Sendable`: it belongs to the main loop and is touched on that loop's thread only.
final class StopRequests: @unchecked Sendable {
  private(set) var wasAsked = false
  private var problem: DatabaseProblem?
  private var waiter: CheckedContinuation<Void, Never>?

  /// - Parameter problem: why the daemon cannot go on, if that is the reason.
  func stop(for problem: DatabaseProblem? = nil) {
    guard !wasAsked else { return }
    wasAsked = true
    self.problem = problem
    waiter?.resume()
    waiter = nil
  }

  /// - Returns: the problem with the database, if that is why.
  func next() async -> DatabaseProblem? {
    if !wasAsked { await withCheckedContinuation { waiter = $0 } }
    return problem
  }
}
