import Accounts
import FoundationEssentials
import Operations
import Store
import TestSupport
import Testing

struct MergeTests {
  private static let factor =
    ProcessInfo.processInfo.environment["KITH_FAULT_ROUNDS"].flatMap { Int($0) } ?? 1

  private func status(_ user: UserID, _ target: SetUserStatus.Target, on daemon: TestDaemon) async throws {
    let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
    _ = try await daemon.run { () async throws in
      try await set.set(.init(user: user, target: target, reason: .test, call: .test(method: "user.disable")))
    }
  }

  // MARK: There and back

  @Test func `a merge and its undo leave both users as they were`() async throws {
    for round in 0..<Self.factor {
      let seed = UInt64.random(in: .min ... .max)
      let pairs = 40
      try await MergeTrial.with(RandomPeople.families(pairs, of: 2, seed: seed)) { trial in
        let keychain = try await CredentialTrial(trial.daemon)
        for pair in stride(from: 0, to: pairs, by: 3) {
          let place = CredentialPlace(accessGroup: "web", account: ExactText("\(pair)"), service: "s")
          _ = try await keychain.add("secret \(pair)", at: place, user: .numbered(UInt64(2 * pair + 1 + pair % 2)))
        }
        let before = try await trial.rows()
        var merges: [MergeID] = []
        for pair in 0..<pairs {
          let (first, second) = (UserID.numbered(UInt64(2 * pair + 1)), UserID.numbered(UInt64(2 * pair + 2)))
          merges.append(try await trial.merge(first, second, into: Bool.random() ? first : second))
        }
        #expect(try await trial.daemon.count("select count(*)::text from kith.users where status = 'merged'") == pairs)
        for pair in stride(from: 0, to: pairs, by: 3) {
          let place = CredentialPlace(accessGroup: "web", account: ExactText("\(pair)"), service: "s")
          #expect(try await keychain.get(place) == "secret \(pair)")
        }
        for merge in merges.shuffled() { try await trial.undo(merge) }
        #expect(try await trial.rows() == before, "seed \(seed) of round \(round)")
        for pair in stride(from: 0, to: pairs, by: 3) {
          let place = CredentialPlace(accessGroup: "web", account: ExactText("\(pair)"), service: "s")
          #expect(try await keychain.get(place) == "secret \(pair)")
        }
        #expect(try await trial.daemon.texts("select ok::text from kith.verify_audit()") == ["true"])
      }
    }
  }

  @Test func `merges of merged users, undone from the last, leave all as they were after each`() async throws {
    for round in 0..<Self.factor {
      let seed = UInt64.random(in: .min ... .max)
      let (families, size) = (6, 5)
      try await MergeTrial.with(RandomPeople.families(families, of: size, seed: seed)) { trial in
        var random = SeededRandom(seed: seed)
        for family in 0..<families {
          var users = (1...size).map { UserID.numbered(UInt64(size * family + $0)) }
          var before = [try await trial.rows()]
          var merges: [MergeID] = []
          while users.count > 1 {
            users.shuffle(using: &random)
            merges.append(try await trial.merge(users[0], users[1], into: users[0]))
            users.remove(at: 1)
            before.append(try await trial.rows())
          }
          for (number, merge) in merges.enumerated().reversed() {
            try await trial.undo(merge)
            #expect(try await trial.rows() == before[number], "merge \(number), seed \(seed) of round \(round)")
          }
        }
      }
    }
  }

  @Test func `a merge is written, told and audited once, and so is its undo`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let plan = try await trial.plan(.numbered(2), .numbered(1))
      #expect(plan.token.survivor == .numbered(1) && plan.token.absorbed == .numbered(2))
      #expect(plan.identities.map(\.subject) == ["subject-2"] && plan.emails.map(\.canonical) == ["mira2@example.org"])
      #expect(plan.conflicts == [.profile(.name)])
      let merge = try #require(try await trial.run(plan.token).new)
      #expect(merge.moved == MergeCounts(identities: 1, emails: 1, credentials: 0, registrations: 0))
      #expect(try await trial.run(plan.token).new?.id == merge.id)
      #expect(
        try await trial.daemon.texts("select concat_ws(' ', user_id, linked_by) from kith.identities order by subject")
          == ["\(UserID.numbered(1)) register", "\(UserID.numbered(1)) merge"])
      #expect(
        try await trial.daemon.texts("select concat_ws(' ', user_id, canonical, verified) from kith.emails order by 1")
          == ["\(UserID.numbered(1)) mira1@example.org t", "\(UserID.numbered(1)) mira2@example.org t"])
      #expect(try await trial.daemon.texts("select epoch::text from kith.users order by id") == ["1", "1"])
      let undone = try #require(try await trial.undo(merge.id).new)
      #expect(undone.undo?.by == "tester")
      #expect(try await trial.undo(merge.id).new?.undo?.at == undone.undo?.at)
      // A plan that was carried out is answered with its merge as it stands.
      #expect(try await trial.run(plan.token).new?.undo?.reason == "asked for by Mira")
      let ids = #""merge_id":"\#(merge.id)","from":"\#(UserID.numbered(2))","into":"\#(UserID.numbered(1))""#
      #expect(
        try await trial.daemon.texts("select concat_ws(' ', type, user_id, data) from kith.events order by seq") == [
          "user.merged \(UserID.numbered(1)) {\(ids)}", "user.unmerged \(UserID.numbered(1)) {\(ids)}",
        ])
      let audited = "asked for by Mira {\"merge_id\":\"\(merge.id)\",\"absorbed_id\":\"\(UserID.numbered(2))\"}"
      #expect(
        try await trial.daemon.texts(
          "select concat_ws(' ', action, user_id, reason, data) from kith.audit order by seq")
          == ["merge.run \(UserID.numbered(1)) \(audited)", "merge.undo \(UserID.numbered(1)) \(audited)"])
      #expect(try await trial.daemon.texts("select epoch::text from kith.users order by id") == ["2", "2"])
    }
  }

  // MARK: Plans

  @Test func `a plan names two users who are there, also by former ids`() async throws {
    try await MergeTrial.with(Seed.users(5) + Seed.mergedAndErased) { trial in
      await expect(.notFound) { try await trial.plan(.numbered(1), .numbered(9)) }
      await expect(.userErased) { try await trial.plan(.numbered(1), .numbered(3)) }
      for pair in [(1, 1), (1, 2), (2, 2)] as [(UInt64, UInt64)] {
        #expect(
          try await MergeRefusal.of { _ = try await trial.plan(.numbered(pair.0), .numbered(pair.1)) } == .oneUser)
      }
      #expect(
        try await MergeRefusal.of { _ = try await trial.plan(.numbered(1), .numbered(4), into: .numbered(5)) }
          == .survivorElsewhere)
      let plan = try await trial.plan(.numbered(4), .numbered(2), into: .numbered(2))
      #expect(plan.token.survivor == .numbered(1) && plan.token.absorbed == .numbered(4))
      #expect(try await trial.plan(.numbered(4), .numbered(1), into: .numbered(4)).token.survivor == .numbered(4))
      #expect(try await trial.daemon.count("select count(*)::text from kith.merges") == 0)
    }
  }

  private static let changes = [
    "insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by) values (1, 'more',"
      + " '01920000-0000-7000-8000-000000000001', gen_random_uuid(), now(), 'link')",
    "delete from kith.identities where subject = 'subject-2'",
    "update kith.identities set email = 'a@example.org', email_canonical = 'a@example.org' where subject = 'subject-1'",
    "insert into kith.emails values ('01920000-0000-7000-8000-000000000002', 'x@example.org', 'x@example.org', now())",
    "update kith.emails set vouched_by_token = true where canonical = 'mira1@example.org'",
    "delete from kith.emails where canonical = 'mira2@example.org'",
    "update kith.users set status = 'disabled' where id = '01920000-0000-7000-8000-000000000002'",
    "update kith.users set epoch = epoch + 1 where id = '01920000-0000-7000-8000-000000000001'",
    "insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at,"
      + " user_id) values (gen_random_uuid(), 'g', 'a', 's', 1, '\\x0101026b31', 'k1', now(), now(),"
      + " '01920000-0000-7000-8000-000000000001')",
    "insert into kith.registrations (id, namespace_id, subject, version, link, caller, held_at, said_at, expires_at,"
      + " user_id, completed_at) values (gen_random_uuid(), 1, 'r', 1, 'never', 'web', now(), now(),"
      + " now() + interval '1 day', '01920000-0000-7000-8000-000000000002', now())",
  ]

  @Test(arguments: changes)
  func `a plan is stale after any change of what it was made from`(change: String) async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(change, as: .superuser)
      await expect(.planStale) { try await trial.run(plan.token) }
      #expect(try await trial.daemon.count("select count(*)::text from kith.merges") == 0)
    }
  }

  @Test func `a plan outlives mere sign-ins and changes of others, but not its 15 minutes`() async throws {
    try await MergeTrial.with(Seed.users(3)) { trial in
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(
        """
        insert into kith.last_sign_ins select id, now() from kith.identities;
        delete from kith.identities where subject = 'subject-3';
        update kith.users set profile = '{"nickname":"mi"}' where id = '01920000-0000-7000-8000-000000000001';
        """, as: .superuser)
      let late = try await MergeTrial(trial.daemon, now: TestDaemon.now.advanced(bySeconds: 15 * 60))
      await expect(.planStale) { try await late.run(plan.token) }
      #expect(try await trial.run(plan.token).new != nil)
      #expect(try await late.run(plan.token).new != nil)
    }
  }

  @Test func `a plan is carried out after a claim was removed and added again, and a credential added and deleted`()
    async throws
  {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let claim = """
        insert into kith.emails values ('\(UserID.numbered(2))', 'x@example.org', 'x@example.org', now());
        """
      try await trial.daemon.database.script(claim, as: .superuser)
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(
        "delete from kith.emails where canonical = 'x@example.org'; " + claim, as: .superuser)
      let keychain = try await CredentialTrial(trial.daemon)
      let place = CredentialPlace(accessGroup: "web", account: "mira", service: "mail")
      _ = try await keychain.add("secret", at: place, user: .numbered(2))
      try await keychain.delete(place)
      #expect(try await trial.run(plan.token).new != nil)
    }
  }

  @Test func `a plan's text is read as it was written, and nothing else is`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let token = try await trial.plan(.numbered(1), .numbered(2)).token
      let text = token.text.string
      #expect(MergePlanToken(token.text) == token)
      for wrong in [
        "", "x", text + "A", String(text.dropLast()), text + "=", "B" + text.dropFirst(),
        text.replacing("A", with: "+"),
      ] { #expect(MergePlanToken(ExactText(wrong)) == nil, "\(wrong)") }
    }
  }

  // MARK: Chains

  @Test func `chains collapse, and are undone from their end`() async throws {
    try await MergeTrial.with(Seed.users(4)) { trial in
      let before = try await trial.rows()
      let first = try await trial.merge(.numbered(1), .numbered(2), into: .numbered(2))
      let between = try await trial.rows()
      let second = try await trial.merge(.numbered(1), .numbered(3), into: .numbered(3))
      let third = try await trial.merge(.numbered(4), .numbered(3), into: .numbered(4))
      #expect(
        try await trial.daemon.texts("select coalesce(merged_into::text, 'none') from kith.users order by id")
          == ([4, 4, 4] as [UInt64]).map { "\(UserID.numbered($0))" } + ["none"])
      for merge in [first, second] {
        #expect(try await MergeRefusal.of { try await trial.undo(merge) } == .superseded(by: third))
      }
      try await trial.undo(third)
      #expect(try await MergeRefusal.of { try await trial.undo(first) } == .superseded(by: second))
      try await trial.undo(second)
      #expect(try await trial.rows() == between)
      // What was undone is in nobody's way.
      try await trial.undo(first)
      #expect(try await trial.rows() == before)
    }
  }

  @Test func `of two users merged into one the later comes first`() async throws {
    try await MergeTrial.with(Seed.users(3)) { trial in
      let before = try await trial.rows()
      let first = try await trial.merge(.numbered(1), .numbered(2))
      let second = try await trial.merge(.numbered(1), .numbered(3))
      #expect(try await MergeRefusal.of { try await trial.undo(first) } == .superseded(by: second))
      try await trial.undo(second)
      try await trial.undo(first)
      #expect(try await trial.rows() == before)
      let again = try await trial.merge(.numbered(1), .numbered(2))
      #expect(again != first)
      #expect(try await trial.undo(first).new?.undo != nil)
      #expect(try await trial.daemon.count("select count(*)::text from kith.users where status = 'merged'") == 1)
    }
  }

  // MARK: Status

  @Test(arguments: [UInt64(1), 2])
  func `who was disabled stays so, and an undo lifts only what the merge did`(disabled: UInt64) async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      try await status(.numbered(disabled), .disabled, on: trial.daemon)
      let before = try await trial.rows()
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      #expect(plan.conflicts.contains(.disabled(.numbered(disabled))))
      let merge = try #require(try await trial.run(plan.token).new)
      #expect(
        try await trial.daemon.texts(
          "select concat_ws(' ', status, disabled_reason) from kith.users order by id limit 1")
          == ["disabled asked for by Mira"])
      #expect(
        try await trial.daemon.texts("select distinct user_status from kith.identities") == ["disabled"])
      try await trial.undo(merge.id)
      #expect(try await trial.rows() == before)
      // Who follows events is told of the survivor what they were not before.
      let told = try await trial.daemon.texts("select type from kith.events order by seq")
      #expect(
        told == ["user.disabled", "user.merged"] + (disabled == 2 ? ["user.disabled"] : []) + ["user.unmerged"]
          + (disabled == 2 ? ["user.enabled"] : []))
    }
  }

  @Test func `who is disabled or enabled after a merge stays so after its undo`() async throws {
    for (target, expected) in [(SetUserStatus.Target.disabled, "disabled disabled"), (.active, "active disabled")] {
      try await MergeTrial.with(Seed.users(2)) { trial in
        try await status(.numbered(2), .disabled, on: trial.daemon)
        let merge = try await trial.merge(.numbered(1), .numbered(2))
        try await status(.numbered(1), target, on: trial.daemon)
        try await trial.undo(merge)
        #expect(
          try await trial.daemon.texts("select string_agg(status, ' ' order by id) from kith.users") == [expected])
      }
    }
  }

  @Test func `an erased user's merge is not undone`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let merge = try await trial.merge(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(
        """
        delete from kith.emails; delete from kith.identities;
        update kith.users set status = 'erased', merged_into = null, profile = '{}', search_name = '';
        """, as: .superuser)
      await expect(.userErased) { try await trial.undo(merge) }
      await expect(.notFound) { try await trial.undo(MergeID(UniqueID(high: 1, low: 1))) }
    }
  }

  // MARK: Later

  @Test func `what came later stays with the survivor`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let merge = try await trial.merge(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(
        """
        insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by) values
          (2, 'later', '01920000-0000-7000-8000-000000000001', '01920001-0000-7000-8000-000000000009', now(), 'link');
        insert into kith.emails values
          ('01920000-0000-7000-8000-000000000001', 'later@example.org', 'later@example.org', now() + interval '1 year',
            '{01920001-0000-7000-8000-000000000009}'),
          ('01920000-0000-7000-8000-000000000001', 'came@example.org', 'came@example.org', now() + interval '1 year',
            '{01920001-0000-7000-8000-000000000002}');
        update kith.emails set vouched_by = vouched_by || '01920001-0000-7000-8000-000000000009'::uuid
          where canonical = 'mira2@example.org';
        update kith.users set profile = '{"nickname":"mi"}' where id = '01920000-0000-7000-8000-000000000001';
        """, as: .superuser)
      try await trial.undo(merge)
      #expect(
        try await trial.daemon.texts(
          "select right(user_id::text, 1) || ' ' || subject from kith.identities order by subject")
          == ["1 later", "1 subject-1", "2 subject-2"])
      #expect(
        try await trial.daemon.texts(
          """
          select concat_ws(' ', right(user_id::text, 1), canonical, case when verified then 'holds' else 'claims' end)
          from kith.emails order by canonical, 1
          """) == [
            "2 came@example.org holds", "1 later@example.org holds", "1 mira1@example.org holds",
            "1 mira2@example.org holds", "2 mira2@example.org claims",
          ])
      #expect(
        try await trial.daemon.texts("select profile::text from kith.users order by id limit 1")
          == [#"{"nickname":"mi"}"#])
    }
  }

  @Test func `what was removed or went elsewhere stays so`() async throws {
    try await MergeTrial.with(Seed.users(3)) { trial in
      let merge = try await trial.merge(.numbered(1), .numbered(2))
      try await trial.daemon.database.script(
        """
        delete from kith.emails where canonical = 'mira2@example.org';
        delete from kith.identities where subject = 'subject-2';
        insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by) values
          (1, 'subject-2', '01920000-0000-7000-8000-000000000001', '01920001-0000-7000-8000-000000000009', now(), 'link');
        """, as: .superuser)
      try await trial.undo(merge)
      #expect(
        try await trial.daemon.texts("select right(user_id::text, 1) from kith.identities order by subject")
          == ["1", "1", "3"])
      #expect(try await trial.daemon.count("select count(*)::text from kith.emails") == 2)
    }
  }

  @Test func `a survivor who would be left without a way in keeps what came`() async throws {
    let password = """
      insert into kith.namespaces (provider, tenant) values ('password', 'default');
      update kith.identities set namespace_id = 3 where subject = 'subject-1';
      update kith.emails set vouched_by = '{}' where canonical = 'mira1@example.org';
      """
    try await MergeTrial.with(Seed.users(2) + password) { trial in
      let merge = try await trial.merge(.numbered(1), .numbered(2))
      await expect(.lastSignInMethod) { try await trial.undo(merge) }
      try await trial.daemon.database.script(
        "update kith.emails set vouched_by_token = true where canonical = 'mira1@example.org'", as: .superuser)
      try await trial.undo(merge)
    }
  }

  // MARK: Credentials

  @Test func `credentials are sealed for their new user, and what does not open stays`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let keychain = try await CredentialTrial(trial.daemon)
      for number in 0..<70 {
        let place = CredentialPlace(accessGroup: "web", account: ExactText("a\(number)"), service: "s")
        _ = try await keychain.add("secret \(number)", at: place, user: .numbered(2))
      }
      try await trial.daemon.database.script(
        "update kith.credentials set sealed = sealed || '\\x00' where account = 'a7'", as: .superuser)
      let broken = CredentialPlace(accessGroup: "web", account: "a7", service: "s")
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      #expect(plan.counts.credentials == 69 && plan.credentials.count == 69)
      #expect(plan.conflicts == [.profile(.name), .credential(broken)])
      let blind = try await trial.plan(.numbered(1), .numbered(2), groups: AccessGroups(["other"]))
      #expect(blind.counts.credentials == 69 && blind.credentials == [] && blind.conflicts == [.profile(.name)])
      let merge = try #require(try await trial.run(plan.token).new)
      #expect(merge.moved.credentials == 69 && merge.credentialsLeft == 1)
      #expect(
        try await trial.daemon.texts("select count(*)::text from kith.credentials group by user_id order by user_id")
          == ["69", "1"])
      let place = CredentialPlace(accessGroup: "web", account: "a8", service: "s")
      #expect(try await keychain.get(place) == "secret 8")
      #expect(try await keychain.history(place) == ["1 add", "2 update"])
      _ = try await keychain.put("changed", at: place)
      try await keychain.delete(CredentialPlace(accessGroup: "web", account: "a9", service: "s"))
      try await trial.undo(merge.id)
      #expect(
        try await trial.daemon.texts("select distinct user_id::text from kith.credentials where user_id is not null")
          == ["\(UserID.numbered(2))"])
      #expect(try await keychain.get(CredentialPlace(accessGroup: "web", account: "a10", service: "s")) == "secret 10")
    }
  }

  @Test func `more credentials than a merge takes are refused`() async throws {
    let many = """
      insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at,
        user_id)
      select gen_random_uuid(), 'g', 'a' || n, 's', 1, '\\x0101026b31', 'k1', now(), now(), '\(UserID.numbered(2))'
      from generate_series(1, 1001) n;
      """
    try await MergeTrial.with(Seed.users(2) + many) { trial async throws in
      #expect(
        try await MergeRefusal.of { _ = try await trial.plan(.numbered(1), .numbered(2)) }
          == .tooManyCredentials(max: 1000))
    }
  }

  @Test func `a credential that comes to be a user's while their merge waits is not left behind`() async throws {
    try await MergeTrial.with(Seed.users(2)) { trial in
      let plan = try await trial.plan(.numbered(1), .numbered(2))
      let keychain = try await CredentialTrial(trial.daemon)
      try await Interferer.with(trial.daemon) { interferer in
        try await interferer.script(
          "begin; select pg_advisory_xact_lock(uuid_hash_extended('\(UserID.numbered(1))', 0))")
        async let problem = failure { _ = try await trial.run(plan.token) }
        try await interferer.waitUntilDaemonWaitsForLock()
        _ = try await keychain.add("secret", user: .numbered(2))
        try await interferer.script("commit")
        #expect(await problem?.contains("planStale") == true)
      }
      try await trial.merge(.numbered(1), .numbered(2))
      #expect(try await keychain.get() == "secret")
      #expect(
        try await trial.daemon.texts("select user_id::text from kith.credentials") == ["\(UserID.numbered(1))"])
    }
  }

  // MARK: Unlinked

  @Test func `unlinked stays unlinked from the survivor, until the undo`() async throws {
    let unlinked = """
      insert into kith.unlinked values (1, 'gone', '\(UserID.numbered(2))', now()),
        (1, 'subject-1', '\(UserID.numbered(2))', now());
      """
    try await MergeTrial.with(Seed.users(2) + unlinked) { trial in
      let merge = try await trial.merge(.numbered(1), .numbered(2))
      #expect(
        try await trial.daemon.texts("select right(user_id::text, 1) || ' ' || subject from kith.unlinked order by 1")
          == ["1 gone", "2 gone", "2 subject-1"])
      try await trial.undo(merge)
      #expect(
        try await trial.daemon.texts("select right(user_id::text, 1) || ' ' || subject from kith.unlinked order by 1")
          == ["2 gone", "2 subject-1"])
    }
  }

  // MARK: Uncertain commits

  @Test(arguments: CommitCutter.Moment.allCases)
  func `connections cut on either side of COMMIT make no false failure and nothing twice`(
    moment: CommitCutter.Moment
  ) async throws {
    let rounds = 20
    try await TestDaemon.with(Seed.users(2 * rounds)) { daemon async throws in
      let near = try await MergeTrial(daemon)
      let before = try await near.rows()
      try await CommitCutter.with(daemon.database) { cutter in
        let cut = try await TestDaemon.start(on: daemon.database, through: cutter.settings)
        let trial = try await MergeTrial(daemon, through: cut)
        for round in 0..<rounds {
          let (first, second) = (UserID.numbered(UInt64(2 * round + 1)), UserID.numbered(UInt64(2 * round + 2)))
          let plan = try await near.plan(first, second)
          let key = round % 2 == 0 ? ExactText("k\(round)") : nil
          await cutter.cutNext(moment)
          _ = try await trial.run(plan.token, key: key)
          let merge = try #require(try await near.run(plan.token).new)
          await cutter.cutNext(moment)
          _ = try await trial.undo(merge.id, key: key.map { ExactText("undo-\($0)") })
        }
        #expect(await cutter.cuts == 2 * rounds)
        await cut.stop()
      }
      #expect(try await near.rows() == before)
      #expect(
        try await daemon.texts(
          """
          select concat_ws(' ', (select count(*) from kith.merges), (select count(*) from kith.events),
            (select count(*) from kith.audit), (select count(*) from kith.request_keys))
          """) == ["20 40 40 20"])
    }
  }
}
