import Accounts
import Testing

struct EventTests {
  private let user = UserID(UniqueID(high: 1, low: 1))
  private let identity = IdentityID(UniqueID(high: 2, low: 2))

  @Test func `every event tells its type and whom it happened to`() throws {
    let namespace = try #require(Namespace("apple:TEAM"))
    let events: [Event] = [
      .userRegistered(user, identity: identity, namespace: namespace), .userUpdated(user), .userDisabled(user),
      .userEnabled(user), .identityLinked(user, identity: identity, namespace: namespace, by: .verifiedEmail),
      .identityEmailChanged(user, identity: identity, email: "mira@example.org"),
      .emailVerified(user, email: "mira@example.org"), .emailUnverified(user, email: "mira@example.org"),
      .emailClaimDropped(user, email: "mira@example.org"),
    ]
    #expect(events.map(\.type) == EventType.allCases)
    #expect(events.allSatisfy { $0.user == user })
  }
}
