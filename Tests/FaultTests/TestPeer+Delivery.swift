import TestSupport
import Testing

extension TestPeer {
  /// How long a database that is back may take until everything is delivered, on a busy machine.
  private static let deliveryPatience = Duration.seconds(60)

  /// Returns once the daemon has delivered everything that it kept in its spool.
  func waitUntilDelivered() async throws {
    let start = ContinuousClock.now
    while try await call("server.status").result?["spool"]?["entries"]?.integer != 0 {
      try #require(.now - start < Self.deliveryPatience, "what is kept is not delivered")
    }
  }
}
