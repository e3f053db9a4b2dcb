import TestSupport
import Testing

/// What is taken off people while they are one, and what is told of them and forgotten once they are two again.
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

    mutating func merge(_ course: Course) async throws {
      for (survivor, absorbed) in course.merges { try await merge(absorbed, into: survivor) }
    }

    mutating func part(_ course: Course) async throws {
      for _ in course.merges { try await part() }
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
        #expect(came.outcome == "link_required", "\(came.text)")
        if isProvedByToken {
          let confirmed = try await peer.confirm(came.challengeID, Proof.word(scene[.mira]))
          #expect(confirmed.userID == scene[.mira], "\(confirmed.text)")
        } else {
          // Nothing vouches for the address, so it finds nobody: it is the identity that was hers.
          let linked = try await peer.link(SignInCall("apple", "mira"), to: scene[.mira])
          #expect(linked.reason == nil, "\(linked.text)")
          #expect(try await peer.signIn("apple", "mira").userID == scene[.mira])
        }
      }
    }
  }

  // MARK: Addresses

  @Test(arguments: Course.all)
  func `removed stays removed, whoever was one with whom and is not any more`(course: Course) async throws {
    try await withScene { scene, peer, _ in
      var isRemoved = false
      // A provider tells another address and then this one again.
      func look() async throws {
        guard isRemoved else { return }
        for (provider, subject) in [("apple", "mira"), ("linkedin", "mira-li")] {
          for address in ["mira-other@example.org", Self.address] {
            #expect(try await peer.signIn(provider, subject, address, verified: true).outcome == "signed_in")
          }
        }
        #expect(try await peer.call("user.get", #"{"email":"\#(Self.address)"}"#).reason == "not_found")
      }
      for step in 0...course.merges.count {
        if step == course.stage {
          #expect(try await peer.email("remove", Self.address, of: scene[.mira]).reason == nil)
          isRemoved = true
          try await look()
        }
        guard step < course.merges.count else { break }
        try await scene.merge(course.merges[step].absorbed, into: course.merges[step].survivor)
        try await look()
      }
      for _ in course.merges {
        try await scene.part()
        try await look()
      }
      // Nor by a new identity.
      let linked = try await peer.link(
        SignInCall("linkedin", "mira-new", Self.address, verified: true), to: scene[.mira])
      #expect(linked.reason == nil, "\(linked.text)")
      #expect(try await peer.emails(of: scene[.mira])[Self.address] == nil)
      // It was Mira's, so she is told of it, and nobody else of anything of hers.
      #expect(try await scene.marks("removed_emails", of: .mira) == 1)
      for person in [Person.noor, .sora] {
        let told = try await scene.export(person).text
        #expect(!told.contains("mira"), "\(told)")
      }
      #expect(try await peer.email("add", Self.address, of: scene[.mira]).reason == nil)
      #expect(try await scene.marks("removed_emails", of: .mira) == 0)
    }
  }

  /// Of an address that came while they were one.
  @Test(arguments: [true, false])
  func `what was reported and removed while they were one stays removed from whose it was`(
    isOfBoth: Bool
  ) async throws {
    try await withScene { scene, peer, _ in
      let both = "both@example.org"
      if isOfBoth { _ = try await peer.email("add", both, of: scene[.noor]) }
      try await scene.merge(.mira, into: .noor)
      for address in [both, "mira-3@example.org"] {
        #expect(try await peer.signIn("apple", "mira", address, verified: true).outcome == "signed_in")
        #expect(try await peer.email("remove", address, of: scene[.noor]).reason == nil)
      }
      try await scene.part()
      for (person, expected) in [(Person.mira, 2), (.noor, isOfBoth ? 1 : 0)] {
        #expect(try await scene.marks("removed_emails", of: person) == expected, "\(person)")
      }
      for address in [both, "mira-3@example.org", both] {
        _ = try await peer.signIn("apple", "mira", address, verified: true)
        #expect(try await peer.emails(of: scene[.mira]) == [Self.address: true])
      }
      _ = try await peer.signIn("apple", "noor", both, verified: true)
      #expect(try await peer.emails(of: scene[.noor])[both] == (isOfBoth ? nil : true))
    }
  }

  @Test func `an address that was added by hand while they were one is the survivor's`() async throws {
    try await withScene { scene, peer, _ in
      try await scene.merge(.mira, into: .noor)
      _ = try await peer.signIn("apple", "mira", "mira-2@example.org", verified: true)
      for address in [Self.address, "mira-2@example.org"] {
        for verb in ["remove", "add"] {
          #expect(try await peer.email(verb, address, of: scene[.mira]).reason == nil)
        }
      }
      _ = try await peer.email("add", "by-hand@example.org", of: scene[.mira])
      try await scene.part()
      #expect(
        try await peer.emails(of: scene[.noor])
          == [
            "noor@example.org": true, Self.address: false, "mira-2@example.org": false, "by-hand@example.org": false,
          ])
      #expect(try await peer.emails(of: scene[.mira]) == [:])
      for person in [Person.mira, .noor] { #expect(try await scene.marks("removed_emails", of: person) == 0) }
    }
  }

  // MARK: Of each other they keep nothing

  /// The rows of every table, as text.
  private static let dump: StaticString = """
    select query_to_xml(format('select * from kith.%I', c.relname), true, false, '')::text from pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relkind = 'r'
    """

  /// Those in which Mira is one with somebody at the end.
  private static let absorbing = Course.all.filter { course in
    course.stage == course.merges.count && course.merges.contains { $0.absorbed == .mira }
  }

  /// Whatever can be told of Mira while she is one with others.
  private func live(in scene: Scene, on peer: TestPeer) async throws {
    for number in 2...3 {
      _ = try await peer.signIn("apple", "mira", "mira-\(number)@example.org", verified: true)
    }
    _ = try await peer.signIn("linkedin", "mira-li", "mira-4@example.org", verified: true)
    #expect(try await peer.unlink(scene.second, from: scene[.mira]).reason == nil)
    for address in ["mira-claim@example.org", Self.address] {
      #expect(try await peer.email("remove", address, of: scene[.mira]).reason == nil)
    }
    // What is answered of the others tells of her, too.
    let answered = try await peer.signIn(
      "apple", "noor", "noor-2@example.org", verified: true, #""request_key":"noors""#,
      #""include":["emails","identities"]"#)
    #expect(answered.outcome == "signed_in", "\(answered.text)")
  }

  @Test(arguments: absorbing)
  func `of somebody who was parted from others nothing is told of them, and nothing is left once they are erased`(
    course: Course
  ) async throws {
    try await withScene { scene, peer, database in
      _ = try await peer.email("add", "mira-claim@example.org", of: scene[.mira])
      try await scene.merge(course)
      try await live(in: scene, on: peer)
      try await scene.part(course)
      #expect(
        try await peer.emails(of: scene[.mira]) == [
          "mira-2@example.org": false, "mira-3@example.org": true, "mira-4@example.org": false,
        ])
      for person in [Person.noor, .sora] {
        let told = try await scene.export(person).text
        #expect(!told.contains("mira"), "\(told)")
      }
      let told = try await scene.export(.mira).text
      for number in 2...4 {
        #expect(told.contains(#""identity.email_changed""#) && told.contains("mira-\(number)@example.org"))
      }
      #expect(told.contains("mira-claim") && !told.contains("noor"), "\(told)")
      let others = try await [scene.export(.noor).result?["export"], scene.export(.sora).result?["export"]]
      #expect(try await peer.call("user.erase", #"{"id":"\#(scene[.mira])",\#(Self.why)}"#).reason == nil)
      let left = try await database.texts(Self.dump).filter { $0.contains("mira") }
      #expect(left.isEmpty, "\(left)")
      #expect(try await [scene.export(.noor).result?["export"], scene.export(.sora).result?["export"]] == others)
    }
  }

  /// What was asked for by the absorbed user's id was answered of the survivor.
  @Test(arguments: absorbing)
  func `of a survivor who was parted from others nothing is left once they are erased`(course: Course) async throws {
    try await withScene { scene, peer, database in
      try await scene.merge(course)
      let found = try await peer.call("user.get", #"{"id":"\#(scene[.mira])"}"#)
      let survivor = try #require(Person.allCases.first { scene[$0] == found.userID })
      let address = "\(survivor)-hand@example.org"
      let added = try await peer.email("add", address, of: scene[.mira], #","request_key":"add""#)
      let token = added.result?["token"]?.string ?? ""
      let verified = try await peer.email(
        "verify", address, of: scene[.mira], #","token":"\#(token)","request_key":"verify""#)
      #expect(verified.reason == nil, "\(verified.text)")
      try await scene.part(course)
      #expect(try await peer.emails(of: scene[survivor])[address] == true)
      #expect(try await peer.call("user.erase", #"{"id":"\#(scene[survivor])",\#(Self.why)}"#).reason == nil)
      let left = try await database.texts(Self.dump).filter { $0.contains("\(survivor)") }
      #expect(left.isEmpty, "\(left)")
      #expect(try await peer.emails(of: scene[.mira]) == [Self.address: true])
    }
  }

  @Test(arguments: absorbing)
  func `somebody who was parted and is one with another again takes along what was told of them`(
    course: Course
  ) async throws {
    try await withScene { scene, peer, database in
      _ = try await peer.email("add", "mira-claim@example.org", of: scene[.mira])
      try await scene.merge(course)
      try await live(in: scene, on: peer)
      try await scene.part(course)
      try await scene.merge(.mira, into: .sora)
      #expect(try await scene.export(.sora).text.contains("mira-2@example.org"))
      #expect(try await peer.call("user.erase", #"{"id":"\#(scene[.sora])",\#(Self.why)}"#).reason == nil)
      let left = try await database.texts(Self.dump).filter { $0.contains("mira") || $0.contains("sora") }
      #expect(left.isEmpty, "\(left)")
    }
  }
}
