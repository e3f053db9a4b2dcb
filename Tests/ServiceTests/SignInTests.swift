import TestSupport
import Testing

/// The decision, row by row, over the socket.
struct SignInTests {
  private static let address = "mira@example.org"

  /// What somebody comes with whom nobody knows by their identity.
  enum Claim: String, CaseIterable {
    case nothing, unverified, verifiedByTrusted, verifiedByUntrusted
  }

  /// Who holds the address as verified.
  enum Holder: String, CaseIterable {
    case nobody, active, disabled, onlyClaimed
  }

  enum Register: String, CaseIterable { case auto, hold, never }

  enum Link: String, CaseIterable { case verifiedEmail = "verified_email", confirm, never }

  struct Situation: CustomStringConvertible {
    let claim: Claim
    let holder: Holder
    let register: Register
    let link: Link

    var description: String {
      "\(claim), held by \(holder), register \(register), link \(link)"
    }

    static let all = Claim.allCases.flatMap { claim in
      Holder.allCases.flatMap { holder in
        Register.allCases.flatMap { register in
          Link.allCases.map { Situation(claim: claim, holder: holder, register: register, link: $0) }
        }
      }
    }

    /// What the contract's third section and its rulings say, read row by row.
    var expected: String {
      let isHeld = claim != .nothing && (holder == .active || holder == .disabled)
      if isHeld, link != .never {
        if holder == .disabled { return "user_disabled" }
        // Row 2, and row 3.
        return claim == .verifiedByTrusted && link == .verifiedEmail ? "linked" : "link_required"
      }
      // Row 5.
      switch register {
      case .auto: return "registered"
      case .hold: return "registration_held"
      case .never: return "not_found"
      }
    }

    /// Whether the new user holds the address as verified; nil if they do not have it.
    var newUserHolds: Bool? {
      switch claim {
      case .nothing: nil
      case .unverified, .verifiedByUntrusted: false
      case .verifiedByTrusted: holder == .nobody || holder == .onlyClaimed
      }
    }
  }

  @Test func `somebody whose identity is unknown comes to what the contract says`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      for (number, situation) in Situation.all.enumerated() {
        let people = People(number: number)
        let holder = try await prepare(situation.holder, people, through: peer)
        let before = try await database.count("select count(*)::text from kith.users")
        let answer = try await arrive(situation, people, through: peer)
        #expect(answer.word == situation.expected, "\(situation)")
        checkShape(of: answer, situation, holder: holder)
        let after = try await database.count("select count(*)::text from kith.users")
        #expect(after - before == (answer.outcome == "registered" ? 1 : 0), "\(situation)")
        try await checkAddresses(after: answer, situation, people, holder: holder, through: peer)
        try await checkRepeat(of: answer, situation, people, through: peer)
      }
    }
  }

  /// Those of one situation, who have nothing to do with those of another.
  private struct People {
    let number: Int
    var address: String { "mira\(number)@example.org" }
    var holder: String { "holder\(number)" }
    var new: String { "new\(number)" }
  }

  private func checkAddresses(
    after answer: WireAnswer, _ situation: Situation, _ people: People, holder: String?, through peer: TestPeer
  ) async throws {
    if answer.outcome == "registered" {
      let expected = situation.newUserHolds.map { [people.address: $0] } ?? [:]
      #expect(try await peer.emails(of: answer.userID) == expected, "\(situation)")
    }
    // A claim is lost to whoever proves the address, and to nobody else.
    guard situation.holder == .onlyClaimed else { return }
    let isLost = answer.outcome == "registered" && situation.claim == .verifiedByTrusted
    #expect(try await peer.emails(of: holder) == (isLost ? [:] : [people.address: false]), "\(situation)")
  }

  /// Who was let in is let in again as the same user.
  private func checkRepeat(
    of answer: WireAnswer, _ situation: Situation, _ people: People, through peer: TestPeer
  ) async throws {
    guard let user = answer.userID else { return }
    let again = try await arrive(situation, people, through: peer)
    #expect(again.outcome == "signed_in", "\(situation)")
    #expect(again.result?["matched_by"]?.string == "identity")
    #expect(again.userID == user)
  }

  private func prepare(_ holder: Holder, _ people: People, through peer: TestPeer) async throws -> String? {
    switch holder {
    case .nobody: return nil
    case .onlyClaimed: return try await peer.signIn("naver", people.holder, people.address).userID
    case .active, .disabled:
      let user = try await peer.signIn("apple", people.holder, people.address, verified: true).userID
      if holder == .disabled {
        let answer = try await peer.call("user.disable", #"{"id":"\#(user ?? "")","reason":"test"}"#)
        #expect(answer.result?["user"]?["status"]?.string == "disabled")
      }
      return user
    }
  }

  private func arrive(_ situation: Situation, _ people: People, through peer: TestPeer) async throws -> WireAnswer {
    let choices = #""register":"\#(situation.register.rawValue)","link":"\#(situation.link.rawValue)""#
    return switch situation.claim {
    case .nothing: try await peer.signIn("linkedin", people.new, nil, choices)
    case .unverified: try await peer.signIn("linkedin", people.new, people.address, verified: false, choices)
    case .verifiedByTrusted:
      try await peer.signIn(
        "linkedin", people.new, people.address.replacing("mira", with: "MIRA"), verified: true, choices)
    case .verifiedByUntrusted: try await peer.signIn("naver", people.new, people.address, verified: true, choices)
    }
  }

  private func checkShape(of answer: WireAnswer, _ situation: Situation, holder: String?) {
    switch answer.word {
    case "linked":
      #expect(answer.result?["matched_by"]?.string == "email")
      #expect(answer.userID == holder)
      #expect(answer.result?["identity"]?["linked_by"]?.string == "email")
    case "registered":
      #expect(answer.result?["matched_by"] == nil)
      #expect(answer.result?["user"]?["status"]?.string == "active")
      #expect(answer.result?["identity"]?["linked_by"]?.string == "register")
    case "link_required":
      #expect(answer.result?["user"] == nil && answer.result?["identity"] == nil)
      let challenge = answer.result?["challenge"]
      #expect(challenge?["id"]?.string != nil && challenge?["expires_at"]?.string != nil)
      #expect(challenge?["candidates"]?[0]?["user_id"]?.string == holder)
      #expect(challenge?["candidates"]?[0]?["providers"] == .array([.string("apple")]))
    case "not_found":
      #expect(answer.result?["user"] == nil && answer.result?["challenge"] == nil)
    case "registration_held":
      #expect(answer.result?["user"] == nil && answer.result?["challenge"] == nil)
      #expect(answer.result?["registration"]?["details"]?["provider"] != nil)
    case "user_disabled":
      #expect(answer.code == 1002)
    default:
      Issue.record("\(answer.text)")
    }
  }

  @Test func `a known identity is its user whatever the address says and whatever the choices are`() async throws {
    try await TestService.withPeer { _, peer in
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let other = try await peer.signIn("linkedin", "other", "other@example.org", verified: true).userID
      #expect(mira != other)
      for register in Register.allCases {
        for link in Link.allCases {
          for (email, verified) in [(nil, nil), ("other@example.org", true), ("other@example.org", false)] {
            let answer = try await peer.signIn(
              "apple", "mira", email, verified: verified,
              #""register":"\#(register.rawValue)","link":"\#(link.rawValue)""#)
            #expect(answer.outcome == "signed_in")
            #expect(answer.userID == mira)
          }
        }
      }
      #expect(try await peer.emails(of: other) == ["other@example.org": true])
    }
  }

  @Test func `a disabled user is not let in and is let in again when enabled`() async throws {
    try await TestService.withPeer { _, peer in
      let user = try await peer.signIn("apple", "mira", Self.address, verified: true).userID ?? ""
      _ = try await peer.call("user.disable", #"{"id":"\#(user)","reason":"asked for"}"#)
      for email in [nil, "else@example.org"] {
        let refused = try await peer.signIn("apple", "mira", email, verified: email.map { _ in true })
        #expect(refused.reason == "user_disabled")
        #expect(!refused.text.contains("asked for"))
      }
      _ = try await peer.call("user.enable", #"{"id":"\#(user)","reason":"back"}"#)
      let again = try await peer.signIn("apple", "mira")
      #expect(again.userID == user)
      #expect(try await peer.emails(of: user) == [Self.address: true])
    }
  }

  @Test func `an unlinked identity is not attached to that user by itself again`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let mira = try await peer.signIn("apple", "mira", Self.address, verified: true).userID
      let linked = try await peer.signIn("linkedin", "mira-li", Self.address, verified: true)
      #expect(linked.outcome == "linked")
      #expect(try await peer.unlink(linked.result?["identity"]?["id"]?.string, from: mira).result != nil)
      let again = try await peer.signIn("linkedin", "mira-li", Self.address, verified: true)
      #expect(again.outcome == "link_required")
      #expect(again.result?["challenge"]?["candidates"]?[0]?["user_id"]?.string == mira)
      #expect(again.result?["challenge"]?["candidates"]?[0]?["providers"] == .array([.string("apple")]))
      let another = try await peer.signIn("linkedin", "mira-li-2", Self.address, verified: true)
      #expect(another.outcome == "linked")
    }
  }

  @Test
  func `an identity that was unlinked with the only address is asked about, and neither comes back nor registers`()
    async throws
  {
    let settings = TestService.Settings(callers: [TestService.caller(more: ", may_authenticate: true")])
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let relay = "q7w8e9r0@privaterelay.appleid.com"
      let first = try await peer.signIn("apple", "mira", relay, verified: true)
      let mira = first.userID
      let link = #"{"user_id":"\#(mira ?? "")","claims":{"provider":"linkedin","subject":"mira-li"}}"#
      #expect(try await peer.call("identity.link", link).result != nil)
      #expect(try await peer.unlink(first.identityID, from: mira).result != nil)
      var challenge: String?
      for (email, isVerified) in [(relay, true), ("new@example.org", true), (relay, false)] {
        for more in [#""locale":"ko""#, #""register":"hold""#, #""register":"never""#, #""link":"confirm""#] {
          let again = try await peer.signIn("apple", "mira", email, verified: isVerified, more)
          #expect(again.outcome == "link_required" && again.userID == nil, "\(again.text)")
          #expect(again.result?["challenge"]?["candidates"]?[0]?["user_id"]?.string == mira)
          #expect(again.result?["challenge"]?["candidates"]?[0]?["providers"] == .array([.string("linkedin")]))
          challenge = again.challengeID
        }
      }
      #expect(try await peer.signIn("apple", "mira").outcome == "link_required")
      #expect(try await database.count("select count(*)::text from kith.users") == 1)
      // As if nobody had it.
      let separate = try await peer.signIn("apple", "mira", relay, #""link":"never","register":"never""#)
      #expect(separate.outcome == "not_found")
      // A disabled user does not come back as another one.
      _ = try await peer.call("user.disable", #"{"id":"\#(mira ?? "")","reason":"r"}"#)
      #expect(try await peer.signIn("apple", "mira", relay, verified: true).reason == "user_disabled")
      _ = try await peer.call("user.enable", #"{"id":"\#(mira ?? "")","reason":"r"}"#)
      let asked = try await peer.signIn("apple", "mira", relay, verified: true)
      #expect(try await peer.confirm(challenge, Proof.word(mira)).reason == "challenge_mismatch")
      #expect(try await peer.confirm(asked.challengeID, Proof.word(mira)).outcome == "linked")
      #expect(try await peer.signIn("apple", "mira").userID == mira)
      try await database.expectConsistency()
    }
  }

  @Test func `who leads to nobody else any more is a user of their own`() async throws {
    try await TestService.withPeer { _, peer in
      let first = try await peer.signIn("apple", "mira", Self.address, verified: true)
      let second = try await peer.signIn("linkedin", "mira-li", Self.address, verified: true)
      #expect(second.outcome == "linked")
      #expect(try await peer.unlink(second.identityID, from: first.userID).result != nil)
      _ = try await peer.call("user.erase", #"{"id":"\#(first.userID ?? "")","reason":"r"}"#)
      #expect(try await peer.signIn("linkedin", "mira-li", Self.address, verified: true).outcome == "registered")
    }
  }

  @Test func `what was asked for is included and nothing else`() async throws {
    try await TestService.withPeer { _, peer in
      let registered = try await peer.signIn(
        "apple", "mira", Self.address, verified: true, #""name":{"given":"Mira","family":"Muster"}"#,
        #""nickname":"mi""#, #""details":{"a":[1.0,"é"]}"#, #""include":["profile","emails","identities"]"#)
      let user = registered.result?["user"]
      #expect(user?["profile"]?["name"] == .object(["given": .string("Mira"), "family": .string("Muster")]))
      #expect(registered.text.contains(#""details":{"a":[1.0,"é"]}"#))
      #expect(user?["emails"]?[0]?["sources"] == .array([registered.result?["identity"]?["id"] ?? .null]))
      #expect(user?["identities"]?.elements.count == 1)
      let bare = try await peer.signIn("apple", "mira")
      #expect(Set(bare.result?["user"]?.members.keys.map(\.self) ?? []) == ["id", "status", "created_at"])
      let known = try await peer.signIn("apple", "mira", nil, #""include":["profile"]"#)
      #expect(known.result?["user"]?["profile"] == user?["profile"])
      #expect(known.result?["user"]?["emails"] == nil)
    }
  }

  @Test func `defaults of the configuration hold where the call does not choose`() async throws {
    var settings = TestService.Settings()
    settings.defaults = #"{ register: "never", link: "never" }"#
    try await TestService.withPeer(settings) { _, peer in
      let nobody = try await peer.signIn("apple", "mira", Self.address, verified: true)
      #expect(nobody.outcome == "not_found")
      let chosen = try await peer.signIn("apple", "mira", Self.address, verified: true, #""register":"auto""#)
      #expect(chosen.outcome == "registered")
      let separate = try await peer.signIn("linkedin", "m", Self.address, verified: true, #""register":"auto""#)
      #expect(separate.outcome == "registered")
      #expect(try await peer.emails(of: separate.userID) == [Self.address: false])
    }
  }

  @Test func `linking can be made to ask by the configuration`() async throws {
    var settings = TestService.Settings()
    settings.defaults = #"{ link: "confirm" }"#
    try await TestService.withPeer(settings) { _, peer in
      _ = try await peer.signIn("apple", "mira", Self.address, verified: true)
      #expect(try await peer.signIn("linkedin", "m", Self.address, verified: true).outcome == "link_required")
      #expect(
        try await peer.signIn("linkedin", "m", Self.address, verified: true, #""link":"verified_email""#).outcome
          == "linked")
    }
  }

  @Test func `a sign-in that brings another address is the last one, too`() async throws {
    try await TestDatabase.with { database in
      let service = try await TestService.start(on: database)
      let peer = try service.connect()
      defer { peer.close() }
      #expect(try await peer.signIn("apple", "mira", "mira@example.org", verified: true).outcome == "registered")
      #expect(try await peer.signIn("apple", "mira", "okafor@example.org", verified: true).outcome == "signed_in")
      // A service that ends in good order writes down what it remembers.
      await service.stop()
      #expect(try await database.count("select count(*)::text from kith.last_sign_ins") == 1)
    }
  }
}
