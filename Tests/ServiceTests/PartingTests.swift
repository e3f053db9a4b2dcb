import TestSupport
import Testing

/// What is taken off people while they are one, and what they are told and forgotten of once they are two again.
struct PartingTests {
  private static let address = "mira@example.org"
  private static let why = #""reason":"test""#

  /// Three people of whom some become one, by their first letters: Mira, to whom it happens, Noor and Sora.
  enum Person: String, CaseIterable, Sendable {
    case mira, noor, sora
  }

  /// Who is merged into whom, one after the other.
  struct Course: Sendable, CustomTestStringConvertible {
    let merges: [(survivor: Person, absorbed: Person)]
    /// Before which of them something is taken off; as many as there are: after the last.
    let stage: Int

    var testDescription: String {
      merges.map { "\($0.absorbed) into \($0.survivor)" }.joined(separator: ", ") + ", at \(stage)"
    }

    static let all: [Course] = [
      [(.noor, .mira)], [(.mira, .noor)],
      [(.noor, .mira), (.sora, .noor)], [(.noor, .mira), (.noor, .sora)], [(.noor, .sora), (.noor, .mira)],
      [(.mira, .noor), (.sora, .mira)], [(.mira, .noor), (.mira, .sora)], [(.sora, .noor), (.sora, .mira)],
      [(.noor, .sora), (.mira, .noor)],
    ].flatMap { merges in (0...merges.count).map { Course(merges: merges, stage: $0) } }
  }

  /// The three with their ids, and how they are merged and parted.
  private struct Scene {
    let peer: TestPeer
    private(set) var users: [Person: String] = [:]
    /// Mira's second identity, which reports her address as well.
    let second: String
    private(set) var merges: [String] = []

    init(on peer: TestPeer) async throws {
      self.peer = peer
      for person in Person.allCases {
        let answer = try await peer.signIn("apple", "\(person)", "\(person)@example.org", verified: true)
        let user = try #require(answer.userID, "\(answer.text)")
        users[person] = user
      }
      let linked = try await peer.link(
        SignInCall("linkedin", "mira-li", PartingTests.address, verified: true), to: users[.mira])
      second = try #require(linked.identityID, "\(linked.text)")
    }

    subscript(_ person: Person) -> String { users[person] ?? "" }

    mutating func merge(_ absorbed: Person, into survivor: Person) async throws {
      let plan = try await peer.call(
        "merge.plan", #"{"users":["\#(self[survivor])","\#(self[absorbed])"],"survivor":"\#(self[survivor])"}"#)
      let merged = try await peer.call(
        "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")",\#(PartingTests.why)}"#)
      merges.append(try #require(merged.result?["merge_id"]?.string, "\(merged.text)"))
    }

    /// Undoes the merge that was last.
    mutating func part() async throws {
      let undone = try await peer.call(
        "merge.undo", #"{"merge_id":"\#(try #require(merges.popLast()))",\#(PartingTests.why)}"#)
      #expect(undone.reason == nil, "\(undone.text)")
    }

    func export(_ person: Person) async throws -> WireAnswer {
      try await peer.call("user.export", #"{"id":"\#(self[person])"}"#)
    }

    /// How many marks of a kind somebody has.
    func marks(_ kind: String, of person: Person) async throws -> Int? {
      try await export(person).result?["export"]?[kind]?.elements.count
    }

    /// What the second identity does with Mira's address.
    func signInAgain() async throws -> WireAnswer {
      try await peer.signIn("linkedin", "mira-li", PartingTests.address, verified: true)
    }
  }

  private func withScene(_ body: (inout Scene, TestPeer, TestDatabase) async throws -> Void) async throws {
    let settings = TestService.Settings(callers: [
      TestService.caller(more: #", may_authenticate: true, access_groups: ["*"]"#)
    ])
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      var scene = try await Scene(on: peer)
      try await body(&scene, peer, database)
      try await database.expectConsistency()
    }
  }

  // MARK: Identities

  @Test(arguments: Course.all)
  func `unlinked stays unlinked, whoever was one with whom and is not any more`(course: Course) async throws {
    try await withScene { scene, peer, _ in
      var isUnlinked = false
      func look(_ scene: Scene) async throws {
        guard isUnlinked else { return }
        let asked = try await scene.signInAgain()
        #expect(asked.outcome == "link_required", "\(asked.text)")
        let holder = try await peer.call("user.get", #"{"email":"\#(Self.address)"}"#)
        #expect(asked.result?["challenge"]?["candidates"]?[0]?["user_id"]?.string == holder.userID)
      }
      for step in 0...course.merges.count {
        if step == course.stage {
          #expect(try await peer.unlink(scene.second, from: scene[.mira]).reason == nil)
          isUnlinked = true
          try await look(scene)
        }
        guard step < course.merges.count else { break }
        try await scene.merge(course.merges[step].absorbed, into: course.merges[step].survivor)
        try await look(scene)
      }
      for _ in course.merges {
        try await scene.part()
        try await look(scene)
      }
      // It was Mira's, so she is told of it, and nobody else.
      for person in Person.allCases {
        #expect(try await scene.marks("unlinked", of: person) == (person == .mira ? 1 : 0), "\(person)")
      }
      let linked = try await peer.link(SignInCall("linkedin", "mira-li"), to: scene[.mira])
      #expect(linked.reason == nil, "\(linked.text)")
      #expect(try await scene.marks("unlinked", of: .mira) == 0)
    }
  }

  @Test func `what was unlinked and linked anew is the survivor's, and stays unlinked from whose it had been`()
    async throws
  {
    try await withScene { scene, peer, _ in
      try await scene.merge(.mira, into: .noor)
      #expect(try await peer.unlink(scene.second, from: scene[.mira]).reason == nil)
      let anew = try await peer.link(SignInCall("linkedin", "mira-li"), to: scene[.mira])
      #expect(anew.reason == nil && anew.identityID != scene.second)
      try await scene.part()
      #expect(try await scene.signInAgain().userID == scene[.noor])
      #expect(try await peer.unlink(anew.identityID, from: scene[.noor]).reason == nil)
      let asked = try await scene.signInAgain()
      #expect(asked.outcome == "link_required", "\(asked.text)")
      for person in [Person.mira, .noor] { #expect(try await scene.marks("unlinked", of: person) == 1) }
    }
  }

  @Test func `what the survivor had unlinked before stays unlinked from both`() async throws {
    try await withScene { scene, peer, _ in
      // Noor had it first, and Mira next.
      let noors = try await peer.link(SignInCall("linkedin", "shared"), to: scene[.noor])
      #expect(try await peer.unlink(noors.identityID, from: scene[.noor]).reason == nil)
      let miras = try await peer.link(SignInCall("linkedin", "shared"), to: scene[.mira])
      try await scene.merge(.mira, into: .noor)
      #expect(try await peer.unlink(miras.identityID, from: scene[.mira]).reason == nil)
      try await scene.part()
      for person in [Person.mira, .noor] {
        #expect(try await scene.marks("unlinked", of: person) == 1)
        let asked = try await peer.signIn("linkedin", "shared", "\(person)@example.org", verified: true)
        #expect(asked.outcome == "link_required", "\(asked.text)")
      }
    }
  }

  /// Somebody may come back from a merge whose identities were all taken off meanwhile. Their address is what is left.
  @Test func `whoever comes back without a way in is not signed in by themselves, and can be linked again`()
    async throws
  {
    for isProvedByToken in [true, false] {
      try await withScene { scene, peer, _ in
        if isProvedByToken {
          let added = try await peer.email("add", Self.address, of: scene[.mira])
          let token = added.result?["token"]?.string ?? ""
          let verified = try await peer.email("verify", Self.address, of: scene[.mira], #","token":"\#(token)""#)
          #expect(verified.reason == nil, "\(verified.text)")
        }
        try await scene.merge(.mira, into: .noor)
        let first = try await peer.call("identity.get", #"{"provider":"apple","subject":"mira"}"#)
        for identity in [scene.second, first.identityID] {
          #expect(try await peer.unlink(identity, from: scene[.mira]).reason == nil)
        }
        try await scene.part()
        #expect(try await peer.emails(of: scene[.mira]) == [Self.address: isProvedByToken])
        let back = try await peer.call("user.get", #"{"id":"\#(scene[.mira])","include":["identities"]}"#)
        #expect(back.result?["user"]?["status"]?.string == "active", "\(back.text)")
        #expect(back.result?["user"]?["identities"]?.elements.isEmpty == true)
        let came = try await scene.signInAgain()
        if isProvedByToken {
          #expect(came.outcome == "link_required", "\(came.text)")
          let confirmed = try await peer.confirm(came.challengeID, Proof.word(scene[.mira]))
          #expect(confirmed.userID == scene[.mira], "\(confirmed.text)")
        } else {
          // Nothing vouches for the address, so it finds nobody; what she claims goes to who proves it.
          #expect(came.outcome == "registered" && came.userID != scene[.mira], "\(came.text)")
          let linked = try await peer.link(SignInCall("apple", "mira"), to: scene[.mira])
          #expect(linked.reason == nil, "\(linked.text)")
          #expect(try await peer.signIn("apple", "mira").userID == scene[.mira])
        }
      }
    }
  }
}
