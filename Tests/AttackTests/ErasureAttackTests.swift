import TestSupport
import Testing

/// Attempts to come in by what is left of somebody who is gone.
struct ErasureAttackTests {
  private static let address = "mira@example.org"
  private static let why = #""reason":"test""#

  private func withPeer(_ body: (TestPeer, TestDatabase) async throws -> Void) async throws {
    let settings = TestService.Settings(callers: [
      TestService.caller(more: #", may_authenticate: true, access_groups: ["web"]"#)
    ])
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(peer, database)
      try await database.expectConsistency()
    }
  }

  /// What somebody may have kept of Mira's account: each lets them in, or tells of her, while it is good.
  private struct Leftovers {
    let mira: String
    let challenge: String
    let registration: String
    let token: String
    let plan: String

    /// Nobody's account is touched by making them but Mira's and a stranger's.
    init(on peer: TestPeer) async throws {
      let hold = try await peer.signIn(
        "apple", "mira", ErasureAttackTests.address, verified: true, #""register":"hold""#)
      registration = try #require(hold.result?["registration"]?["id"]?.string)
      let completed = try await peer.call("registration.complete", #"{"registration_id":"\#(registration)"}"#)
      mira = try #require(completed.userID)
      let asked = try await peer.signIn("naver", "attacker", ErasureAttackTests.address, #""request_key":"asked""#)
      challenge = try #require(asked.challengeID)
      let added = try await peer.email("add", "attacker@example.org", of: mira, #","request_key":"token""#)
      token = try #require(added.result?["token"]?.string)
      let stranger = try #require(try await peer.signIn("linkedin", "stranger").userID)
      let planned = try await peer.call("merge.plan", #"{"users":["\#(mira)","\#(stranger)"]}"#)
      plan = try #require(planned.result?["plan_token"]?.string)
      let put = try await peer.call(
        "credential.put",
        #"{"access_group":"web","account":"mira","service":"s","secret":"AA==","user_id":"\#(mira)"}"#)
      #expect(put.reason == nil, "\(put.text)")
    }

    func verify(as user: String?, on peer: TestPeer) async throws -> WireAnswer {
      try await peer.email("verify", "attacker@example.org", of: user, #","token":"\#(token)""#)
    }

    func runPlan(on peer: TestPeer) async throws -> WireAnswer {
      try await peer.call("merge.run", #"{"plan_token":"\#(plan)",\#(ErasureAttackTests.why)}"#)
    }
  }

  /// Row 29: deletion leaves tokens. Everything that led to the account is dead, for the account and for whoever comes after.
  @Test func `no token, challenge, registration, plan or kept answer outlives an erasure`() async throws {
    try await withPeer { peer, database in
      let left = try await Leftovers(on: peer)
      #expect(try await peer.call("user.erase", #"{"id":"\#(left.mira)",\#(Self.why)}"#).reason == nil)
      // Mira comes back, as somebody new with the same address.
      let back = try await peer.signIn("apple", "mira", Self.address, verified: true)
      #expect(back.outcome == "registered" && back.userID != left.mira)
      for user in [left.mira, back.userID] {
        #expect(try await peer.confirm(left.challenge, Proof.word(user)).reason == "not_found")
      }
      #expect(try await peer.confirm(left.challenge, Proof.claims("apple", "mira")).reason == "not_found")
      #expect(try await left.verify(as: left.mira, on: peer).reason == "user_erased")
      #expect(try await left.verify(as: back.userID, on: peer).reason == "proof_rejected")
      #expect(
        try await peer.call("registration.complete", #"{"registration_id":"\#(left.registration)"}"#).reason
          == "not_found")
      #expect(try await left.runPlan(on: peer).reason == "plan_stale")
      let secret = try await peer.call("credential.get", #"{"access_group":"web","account":"mira","service":"s"}"#)
      #expect(secret.reason == "not_found")
      // A repeat is a call like any other: the challenge is asked anew, and the token is not told again.
      let asked = try await peer.signIn("naver", "attacker", Self.address, #""request_key":"asked""#)
      #expect(asked.outcome == "link_required" && asked.challengeID != left.challenge)
      #expect(asked.result?["challenge"]?["candidates"]?[0]?["user_id"]?.string == back.userID)
      let again = try await peer.email("add", "attacker@example.org", of: left.mira, #","request_key":"token""#)
      #expect(again.reason == "user_erased")
      #expect(try await peer.emails(of: back.userID) == [Self.address: true])
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'attacker'") == 0)
    }
  }

  /// Row 29, for whoever is absorbed by a merge.
  @Test func `no token, challenge or plan of an absorbed user outlives the merge`() async throws {
    try await withPeer { peer, database in
      let left = try await Leftovers(on: peer)
      let noor = try #require(try await peer.signIn("apple", "noor", "noor@example.org", verified: true).userID)
      let plan = try await peer.call(
        "merge.plan", #"{"users":["\#(noor)","\#(left.mira)"],"survivor":"\#(noor)"}"#)
      let merged = try await peer.call(
        "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(Self.why)}"#)
      #expect(merged.reason == nil, "\(merged.text)")
      for user in [left.mira, noor] {
        #expect(try await peer.confirm(left.challenge, Proof.word(user)).reason == "challenge_mismatch")
        #expect(try await left.verify(as: user, on: peer).reason == "proof_rejected")
      }
      #expect(try await peer.confirm(left.challenge, Proof.claims("apple", "mira")).reason == "challenge_mismatch")
      #expect(try await left.runPlan(on: peer).reason == "plan_stale")
      #expect(try await database.count("select count(*)::text from kith.identities where subject = 'attacker'") == 0)
      // And what was made for the survivor of both is dead once they are erased, by the former id as well.
      let asked = try await peer.signIn("naver", "attacker", Self.address)
      let added = try await peer.email("add", "second@example.org", of: noor)
      #expect(asked.outcome == "link_required" && added.reason == nil)
      #expect(try await peer.call("user.erase", #"{"id":"\#(left.mira)",\#(Self.why)}"#).userID == noor)
      for user in [left.mira, noor] {
        #expect(try await peer.confirm(asked.challengeID, Proof.word(user)).reason == "not_found")
        let token = added.result?["token"]?.string ?? ""
        #expect(
          try await peer.email("verify", "second@example.org", of: user, #","token":"\#(token)""#).reason
            == "user_erased")
      }
      // Not even an undo brings anybody back.
      let undo = try await peer.call(
        "merge.undo", #"{"merge_id":"\#(merged.result?["merge_id"]?.string ?? "")",\#(Self.why)}"#)
      #expect(undo.reason == "user_erased" && undo.code == 1000)
    }
  }
}
