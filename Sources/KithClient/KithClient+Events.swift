import API
import JSONRPC

extension KithClient {
  /// How long one read waits; a daemon that stops in between is nothing to whoever follows.
  private static let eventWaitMilliseconds = 30_000
  private static let eventTimeoutSeconds = 60.0

  /// Hands what happens to `apply`, page after page, and acknowledges each page when that has returned.
  ///
  /// Every event comes at least once, each user's in their order; one that comes again has the same `id`. Do what an event
  /// means, and note its id, in one transaction of your own. It goes on where the consumer was acknowledged last, until
  /// `apply` throws, the task is cancelled, or a call fails: as `not_found` with ``RPCError/cursor`` when the next events are
  /// not kept any more.
  ///
  /// - Parameters:
  ///   - consumer: a name of your choice; two of one name share one place.
  ///   - origin: where a new consumer begins; nil for the oldest event that is kept.
  ///   - limit: events in a page, 1-1000.
  public func followEvents(
    as consumer: String, from origin: EventOrigin? = nil, limit: Int = Page.limitDefault,
    apply: ([EventShape]) async throws -> Void
  ) async throws {
    let consumer = ExactText(consumer)
    let reading = EventRead.Parameters(
      consumer: consumer, from: origin, limit: limit, waitMilliseconds: Self.eventWaitMilliseconds)
    while true {
      let page = try await call(EventRead.self, reading, timeoutSeconds: Self.eventTimeoutSeconds)
      guard !page.events.isEmpty else { continue }
      try await apply(page.events)
      _ = try await call(EventAck.self, .init(consumer: consumer, cursor: page.cursor))
    }
  }
}
