import Accounts
import JSONRPC
import Operations

/// Pushes events on one connection, as fast as the peer reads.
///
/// `@unchecked Sendable`: it belongs to its session's loop and is touched on that loop's thread only.
final class Subscription: @unchecked Sendable {
  /// So many are written at once: little beside what may wait for a peer.
  private static let eventsPerPageMax = 500
  /// Between attempts to read while the database is away.
  private static let pauseMilliseconds: UInt64 = 500

  /// Of the call that made it.
  private let context: CallContext
  private var place: Int64
  private var wait: EventFeed.Wait?
  private var isEnded = false

  init(_ context: CallContext, after place: Int64) {
    self.context = context
    self.place = place
  }

  func start() {
    Task(executorPreference: context.worker.loop) { [self] in
      while let error = await pushAll() {
        guard error.isRetryable else { return context.endConnection(with: error) }
        await context.worker.loop.pause(milliseconds: Self.pauseMilliseconds)
      }
    }
  }

  /// Nothing is pushed any more.
  func end() {
    isEnded = true
    wait?.end()
  }

  /// Pushes until something fails.
  ///
  /// - Returns: what failed; nil when the subscription has ended.
  private func pushAll() async -> RPCError? {
    while !isEnded {
      let outcome = await nextPage()
      guard !isEnded else { return nil }
      switch outcome {
      case .failure(let error): return RPCError(error, for: context)
      case .success(let page):
        // The configuration may be another by now.
        if let refusal = context.presentRefusal { return refusal }
        context.push(page.notificationLines)
        place = page.cursor.place
        await context.drained()
      }
    }
    return nil
  }

  private func nextPage() async -> Result<EventPage, OperationError> {
    await withUnsafeContinuation { continuation in
      wait = context.worker.operations.eventFeed.next(
        after: place, limit: Self.eventsPerPageMax, waitMilliseconds: nil
      ) { continuation.resume(returning: $0) }
    }
  }
}
