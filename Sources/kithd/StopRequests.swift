import Service

/// Waits until the daemon is told to stop or finds that it cannot go on.
///
/// `@unchecked Sendable`: it belongs to the main loop and is touched on that loop's thread only.
final class StopRequests: @unchecked Sendable {
  private(set) var wasAsked = false
  private var waiter: CheckedContinuation<DatabaseProblem?, Never>?

  func stop() { end(nil) }

  /// - Returns: the problem with the database, if that is why.
  func next(orProblemOf database: Task<DatabaseProblem?, Never>) async -> DatabaseProblem? {
    guard !wasAsked else { return nil }
    return await withCheckedContinuation { continuation in
      waiter = continuation
      Task { [self] in
        if let problem = await database.value { end(problem) }
      }
    }
  }

  private func end(_ problem: DatabaseProblem?) {
    wasAsked = true
    waiter?.resume(returning: problem)
    waiter = nil
  }
}
