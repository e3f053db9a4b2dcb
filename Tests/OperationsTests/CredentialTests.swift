import Accounts
import Crypto
import Operations
import Store
import TestSupport
import Testing
import Vault

struct CredentialTests {
  private static let earlier = TestDaemon.now.advanced(bySeconds: -1)
  private static let later = TestDaemon.now.advanced(bySeconds: 3600)

  private func with(_ seed: String = "", _ body: (CredentialTrial) async throws -> Void) async throws {
    try await TestDaemon.with(seed) { daemon async throws in try await body(try await CredentialTrial(daemon)) }
  }

  // MARK: Keeping

  @Test func `every change is a version, and each is told by whom`() async throws {
    try await with { trial async throws in
      #expect(try await trial.add("one")?.version == 1)
      await expect(.credentialExists) { try await trial.add("two") }
      #expect(try await trial.get() == "one")
      let labelled = try await trial.change(
        .update(CredentialContent(secret: nil, label: "Mail", attributes: #"{"a":1}"#), clearing: []))
      #expect(labelled?.version == 2 && labelled?.label == "Mail")
      #expect(try await trial.get() == "one")
      let changed = try await trial.change(.update(CredentialContent(secret: .of("two")), clearing: [.label]))
      #expect(changed?.label == nil && changed?.attributes == #"{"a":1}"#)
      #expect(try await trial.get() == "two")
      let put = try await trial.put("three")
      #expect(put?.version == 4 && put?.attributes == nil && put?.id == changed?.id)
      try await trial.delete()
      await expect(.notFound) { try await trial.get() }
      await expect(.notFound) { try await trial.delete() }
      await expect(.notFound) {
        try await trial.change(.update(CredentialContent(secret: .of("x")), clearing: []))
      }
      let told = ["1 add", "2 update", "3 update", "4 update", "5 delete"]
      #expect(try await trial.history() == told)
      let again = try await trial.put("four")
      #expect(again?.version == 1 && again?.id != put?.id)
      for limit in [1, 2, 6, 100] { #expect(try await trial.history(limit: limit) == told + ["1 add"]) }
      await expect(.notFound) { try await trial.history(CredentialTrial.chat) }
      #expect(try await trial.daemon.texts("select distinct caller from kith.credential_history") == ["tester"])
      #expect(try await trial.daemon.count("select count(*)::text from kith.audit") == 0)
    }
  }

  @Test func `only a deletion with a reason is audited, by ids alone`() async throws {
    try await with(Seed.users(1)) { trial async throws in
      _ = try await trial.add("one", user: .numbered(1))
      let id = try await trial.daemon.texts("select id::text from kith.credentials").first ?? ""
      try await trial.delete(reason: .test)
      #expect(
        try await trial.daemon.texts(
          "select concat_ws(' ', caller, peer_uid, action, user_id, reason, data) from kith.audit") == [
            "tester 4711 credential.delete \(UserID.numbered(1)) asked for by Mira {\"credential_id\":\"\(id)\"}"
          ])
      #expect(try await trial.daemon.texts("select ok::text from kith.verify_audit()") == ["true"])
    }
  }

  @Test func `many are read at once, each its own`() async throws {
    try await with { trial async throws in
      let places = (0..<200).map { CredentialPlace(accessGroup: "web", account: ExactText("a\($0)"), service: "s") }
      for place in places { _ = try await trial.put("secret of \(place.account.string)", at: place) }
      let get = GetCredential(
        on: trial.daemon.loop, reads: trial.daemon.reads, sealer: trial.sealer, circumstances: trial.circumstances)
      let wanted = places + [CredentialTrial.mail] + places
      let found = try await trial.daemon.run { () async throws in
        await withTaskGroup(of: (Int, String?).self) { group in
          for (number, place) in wanted.enumerated() {
            group.addTask(executorPreference: trial.daemon.loop) {
              let outcome: GetCredential.Outcome = await withUnsafeContinuation { continuation in
                get.get(place) { continuation.resume(returning: $0) }
              }
              return (number, (try? outcome.get()).map { String(decoding: $0.secret.revealedBytes, as: UTF8.self) })
            }
          }
          return await group.reduce(into: [Int: String?]()) { $0[$1.0] = $1.1 }
        }
      }
      for (number, place) in wanted.enumerated() {
        #expect(found[number] == (place == CredentialTrial.mail ? .some(nil) : "secret of \(place.account)"))
      }
    }
  }

  // MARK: Users

  @Test func `the survivor of a merged user is stored, and nobody who is unknown or erased`() async throws {
    try await with(Seed.users(5) + Seed.mergedAndErased) { trial async throws in
      #expect(try await trial.add("one", user: .numbered(2))?.user == .numbered(1))
      #expect(try await trial.get() == "one")
      for unknown in [UserID.numbered(3), .numbered(9)] {
        for change in [
          ChangeCredential.Change.put(CredentialContent(secret: .of("x"), user: unknown)),
          .update(CredentialContent(secret: nil, user: unknown), clearing: []),
        ] {
          let told = await failure { _ = try await trial.change(change) }
          #expect(told == "unknown owner")
        }
      }
      #expect(
        try await trial.change(.update(CredentialContent(secret: nil, user: .numbered(4)), clearing: []))?.version == 2)
      #expect(try await trial.get() == "one")
      #expect(try await trial.list(.init(user: .numbered(4))) == [CredentialTrial.mail])
      #expect(try await trial.list(.init(user: .numbered(1))).isEmpty)
      #expect(try await trial.change(.update(CredentialContent(secret: nil), clearing: [.user]))?.user == nil)
      #expect(try await trial.get() == "one")
      #expect(try await trial.add("two", at: CredentialTrial.chat, user: .numbered(1)) != nil)
      #expect(try await trial.list(.init(user: .numbered(2))) == [CredentialTrial.chat])
    }
  }

  @Test func `a user who is merged while a credential waits for them leads to the survivor`() async throws {
    try await with(Seed.users(2)) { trial async throws in
      try await Interferer.with(trial.daemon) { interferer in
        try await interferer.script(
          """
          begin; delete from kith.emails where user_id = '01920000-0000-7000-8000-000000000002';
          delete from kith.identities where user_id = '01920000-0000-7000-8000-000000000002';
          update kith.users set status = 'merged', merged_into = '01920000-0000-7000-8000-000000000001'
            where id = '01920000-0000-7000-8000-000000000002'
          """)
        async let waiting = trial.add("one", user: .numbered(2))
        try await interferer.waitUntilDaemonWaitsForLock()
        try await interferer.script("commit")
        #expect(try await waiting?.user == .numbered(1))
      }
      #expect(try await trial.history() == ["1 add"])
    }
  }

  // MARK: Expiry

  @Test func `what has expired counts as gone, and what takes its place is another`() async throws {
    try await with { trial async throws in
      let first = try await trial.add("old", expiresAt: TestDaemon.now)
      await expect(.notFound) { try await trial.get() }
      await expect(.notFound) { try await trial.delete() }
      await expect(.notFound) {
        try await trial.change(.update(CredentialContent(secret: .of("x"), expiresAt: Self.later), clearing: []))
      }
      #expect(try await trial.list().isEmpty)
      let second = try await trial.add("new", expiresAt: Self.later)
      #expect(second?.version == 1 && second?.id != first?.id)
      #expect(try await trial.get() == "new")
      #expect(try await trial.list() == [CredentialTrial.mail])
      #expect(try await trial.history() == ["1 add", "2 expire", "1 add"])
      let hourLater = try await CredentialTrial(trial.daemon, now: Self.later)
      await expect(.notFound) { try await hourLater.get() }
      #expect(try await hourLater.put("newest")?.expiresAt == nil)
      #expect(try await hourLater.get() == "newest")
      #expect(
        try await trial.daemon.texts(
          "select action from kith.credential_history where caller is null order by seq") == ["expire", "expire"])
    }
  }

  @Test func `the purge drops what has expired, tells of it, and leaves what somebody works on`() async throws {
    try await with { trial async throws in
      for number in 0..<1200 {
        let place = CredentialPlace(accessGroup: "web", account: ExactText("a\(number)"), service: "s")
        _ = try await trial.add("x", at: place, expiresAt: number % 3 == 0 ? Self.later : Self.earlier)
      }
      let purge = PurgeExpired(writes: trial.daemon.writes, circumstances: trial.circumstances)
      try await Interferer.with(trial.daemon) { interferer in
        try await interferer.script("begin; select from kith.credentials where account = 'a1' for update")
        try await trial.daemon.run { () async throws in
          async let first = purge.runOnce()
          async let second = purge.runOnce()
          let (one, two) = await (first, second)
          #expect(one.failure == nil && two.failure == nil)
          #expect(one.credentials + two.credentials == 799)
        }
        try await interferer.script("commit")
        try await trial.daemon.run { () async throws in #expect(await purge.runOnce().credentials == 1) }
      }
      #expect(try await trial.daemon.count("select count(*)::text from kith.credentials") == 400)
      let gone = CredentialPlace(accessGroup: "web", account: "a1", service: "s")
      #expect(try await trial.history(gone) == ["1 add", "2 expire"])
      #expect(try await trial.add("again", at: gone)?.version == 1)
    }
  }

  // MARK: Tampering

  private static let manipulations = [
    "the sealed columns of two rows swapped": """
    update kith.credentials c set sealed = o.sealed from kith.credentials o
    where c.service in ('mail', 'chat') and o.service in ('mail', 'chat') and c.id <> o.id
    """,
    "one bit flipped": """
    update kith.credentials set sealed = set_byte(sealed, octet_length(sealed) - 20,
      get_byte(sealed, octet_length(sealed) - 20) # 1) where service in ('mail', 'chat')
    """,
    "cut short": "update kith.credentials set sealed = substr(sealed, 1, 40) where service in ('mail', 'chat')",
    "nothing left but the key's name":
      "update kith.credentials set sealed = substr(sealed, 1, 5) where service in ('mail', 'chat')",
    "another account": "update kith.credentials set account = account || 'x' where service in ('mail', 'chat')",
    "another group": "update kith.credentials set access_group = 'ops' where service in ('mail', 'chat')",
    "another user": """
    update kith.credentials set user_id = '01920000-0000-7000-8000-000000000002' where service in ('mail', 'chat')
    """,
    "another id": "update kith.credentials set id = gen_random_uuid() where service in ('mail', 'chat')",
    "another version": """
    update kith.credentials set version = version + 1 where service in ('mail', 'chat');
    insert into kith.credential_history
        (credential_id, version, access_group, account, service, action, at, caller, change_id)
      select id, version, access_group, account, service, 'update', now(), 'x', gen_random_uuid()
      from kith.credentials where service in ('mail', 'chat')
    """,
    "no history": "truncate kith.credential_history",
  ]

  @Test(arguments: manipulations.keys.sorted())
  func `what was tampered with does not open, and nothing else is harmed`(name: String) async throws {
    try await with(Seed.users(2)) { trial async throws in
      for place in [CredentialTrial.mail, CredentialTrial.chat] {
        _ = try await trial.add("secret \(place.service)", at: place, user: .numbered(1))
      }
      let other = CredentialPlace(accessGroup: "web", account: "ron", service: "calendar")
      _ = try await trial.add("unharmed", at: other)
      try await trial.daemon.database.script(Self.manipulations[name] ?? "", as: .superuser)
      for stored in try await trial.list() where stored != other {
        #expect(try await trial.problem(at: stored) == .invalid, "\(name)")
        // Changing what lies around a secret would seal it anew, as if it were right.
        let relabelled = ChangeCredential.Change.update(CredentialContent(secret: nil, label: "x"), clearing: [])
        let told = await failure { _ = try await trial.change(relabelled, at: stored) }
        #expect(told == "\(SealingError.invalid)", "\(name)")
      }
      #expect(try await trial.list().count == 3)
      if name != "no history" { #expect(try await trial.get(other) == "unharmed") }
      // A new secret mends it; so does starting again.
      for stored in try await trial.list() where stored != other {
        _ = try await trial.change(.update(CredentialContent(secret: .of("new")), clearing: []), at: stored)
        #expect(try await trial.get(stored) == "new")
        try await trial.delete(stored)
        _ = try await trial.add("newer", at: stored)
        #expect(try await trial.get(stored) == "newer")
      }
    }
  }

  @Test func `an old row that was put back does not open, also after a deletion`() async throws {
    try await with { trial async throws in
      _ = try await trial.add("old")
      try await trial.daemon.database.script("create table kith.copied as table kith.credentials", as: .superuser)
      let putBack = "delete from kith.credentials; insert into kith.credentials table kith.copied"
      _ = try await trial.put("new")
      try await trial.daemon.database.script(putBack, as: .superuser)
      #expect(try await trial.problem() == .invalid)
      _ = try await trial.put("newer")
      #expect(try await trial.get() == "newer")
      try await trial.delete()
      try await trial.daemon.database.script(putBack, as: .superuser)
      #expect(try await trial.problem() == .invalid)
      try await trial.delete()
      _ = try await trial.add("newest")
      try await trial.daemon.database.script(putBack, as: .superuser)
      #expect(try await trial.problem() == .invalid)
      #expect(
        try await trial.history() == ["1 add", "2 update", "3 update", "4 delete", "5 delete", "1 add"])
    }
  }

  @Test func `without the key nothing opens, and a list does not try`() async throws {
    try await with { trial async throws in
      _ = try await trial.add("secret")
      let stranger = try await CredentialTrial(
        trial.daemon, keyset: try Keyset(first: try TestKeys.keyID("k2"), TestKeys.key(2)))
      #expect(try await stranger.problem() == .unknownKey(try TestKeys.keyID("k1")))
      #expect(try await stranger.list() == [CredentialTrial.mail])
      #expect(try await stranger.history() == ["1 add"])
      try await stranger.delete()
    }
  }

  @Test func `nothing that was kept is in the database in clear`() async throws {
    try await with { trial async throws in
      _ = try await trial.add("canary-canary")
      _ = try await trial.put("canary-canary")
      let rows = try await trial.daemon.texts(
        """
        select encode(sealed, 'escape') || c::text from kith.credentials c
        union all select h::text from kith.credential_history h union all select k::text from kith.request_keys k
        """)
      #expect(rows.count == 3 && !rows.contains { $0.contains("canary") || $0.contains("63616e617279") })
    }
  }

  // MARK: Lists

  @Test func `a list has what the caller may see and asked for, page by page in the order of the places`() async throws
  {
    try await with { trial async throws in
      let names = ["a", "b.c", "é", "\u{10FFFF}", "x\ny"]
      var places: [CredentialPlace] = []
      for group in ["kith.tokens", "kith", "ops", "web"] {
        for account in names {
          for service in ["mail", String(repeating: "\u{10FFFF}", count: 63)] {
            places.append(
              CredentialPlace(accessGroup: ExactText(group), account: ExactText(account), service: ExactText(service)))
          }
        }
      }
      for place in places { _ = try await trial.put("x", at: place) }
      places.sort()
      for limit in [1, 3, 7, 1000] {
        #expect(
          try await trial.list(limit: limit) == places.filter { $0.accessGroup != "kith.tokens" }, "limit \(limit)")
        #expect(
          try await trial.list(in: AccessGroups(["web", "kith.tokens"]), limit: limit)
            == places.filter {
              $0.accessGroup == "web" || $0.accessGroup == "kith.tokens"
            })
        for account in names {
          #expect(
            try await trial.list(.init(accessGroup: "web", account: ExactText(account)), limit: limit)
              == places.filter { $0.accessGroup == "web" && $0.account == ExactText(account) })
        }
        #expect(
          try await trial.list(.init(service: "mail"), in: AccessGroups(["ops"]), limit: limit)
            == places.filter {
              $0.accessGroup == "ops" && $0.service == "mail"
            })
      }
      #expect(try await trial.list(.init(account: "a")).count == 6)
      #expect(try await trial.list(.init(accessGroup: "kith.tokens")).isEmpty)
      #expect(try await trial.list(.init(accessGroup: "web"), in: AccessGroups(["ops"])).isEmpty)
      #expect(try await trial.list(in: AccessGroups([])).isEmpty)
    }
  }

  @Test(arguments: [
    "", "x", "-1", "01", "AAAA", "AQ==", "AXgBeQ==", "AXgBeQE=", "AXgBeQF6AXo=", "AXgBeQF6AQ==", "AXgBeQH/",
  ])
  func `a place that no list ended with is refused`(place: String) {
    #expect(throws: PageRequest<CredentialPlace>.InvalidPlace.self) {
      _ = try PageRequest<CredentialPlace>(after: ExactText(place), limit: 1)
    }
    #expect(throws: PageRequest<CredentialVersions.Position>.InvalidPlace.self) {
      _ = try PageRequest<CredentialVersions.Position>(after: ExactText(place), limit: 1)
    }
  }
}
