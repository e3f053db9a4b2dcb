import Accounts
import Testing

struct EventTests {
  private let user = UserID(UniqueID(high: 1, low: 1))
  private let other = UserID(UniqueID(high: 1, low: 2))
  private let merge = MergeID(UniqueID(high: 4, low: 4))
  private let identity = IdentityID(UniqueID(high: 2, low: 2))
  private let registration = RegistrationID(UniqueID(high: 3, low: 3))

  @Test func `every event tells its type and whom it happened to`() throws {
    let namespace = try #require(Namespace("apple:TEAM"))
    let events: [Event] = [
      .userRegistered(user, identity: identity, namespace: namespace), .userUpdated(user), .userDisabled(user),
      .userEnabled(user), .userMerged(user, from: other, merge: merge), .userUnmerged(user, from: other, merge: merge),
      .userErased(user, formerIDs: [other]),
      .identityLinked(user, identity: identity, namespace: namespace, by: .verifiedEmail),
      .identityUnlinked(user, identity: identity, namespace: namespace),
      .identityEmailChanged(user, identity: identity, email: "mira@example.org"),
      .emailVerified(user, email: "mira@example.org"), .emailUnverified(user, email: "mira@example.org"),
      .emailClaimDropped(user, email: "mira@example.org"), .registrationHeld(registration, namespace: namespace),
      .registrationCompleted(user, registration: registration),
      .registrationExpired(registration, namespace: namespace),
    ]
    #expect(events.map(\.type) == EventType.allCases)
    let ofNobody: Set<EventType> = [.registrationHeld, .registrationExpired]
    #expect(events.allSatisfy { $0.user == (ofNobody.contains($0.type) ? nil : user) })
  }
}
