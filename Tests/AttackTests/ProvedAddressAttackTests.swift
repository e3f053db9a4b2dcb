import TestSupport
import Testing

/// Attempts to come into an account by an address that somebody does not hold.
struct ProvedAddressAttackTests {
  /// Seen as pre-hijacking: whoever waits in an account with somebody else's unproved address gains nothing.
  @Test func `a squatter loses a claimed address to whoever proves it and gains nothing`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let squatter = try await peer.call(
        "signin.resolve", #"{"provider":"naver","subject":"squatter","email":"mira@example.org"}"#)
      let mira = try await peer.call(
        "signin.resolve",
        #"{"provider":"apple","subject":"mira","email":"mira@example.org","email_verified":true}"#)
      #expect(squatter.outcome == "registered")
      #expect(mira.outcome == "registered")
      #expect(mira.userID != squatter.userID)
      let addresses = try await peer.call("email.list", #"{"user_id":"\#(squatter.userID ?? "")"}"#)
      #expect(addresses.result?["items"] == .array([]))
      #expect(
        try await database.texts("select type from kith.events order by seq") == [
          "user.registered", "email.claim_dropped", "user.registered",
        ])
    }
  }
}
